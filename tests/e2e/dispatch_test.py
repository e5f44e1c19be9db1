"""Tests dispatch decisions by the built programs: over the command line and over HTTP."""

import json
import pathlib
import tempfile
import unittest

from daemon import DATA, Daemon
from http_test import Http

RC208 = DATA / "RC208.vrp"
SITE = {
    "depots": [{"location": {"x": 0, "y": 0}, "timeWindow": {"close": 100}}],
    "customers": [{"id": name, "location": {"x": x, "y": 0}, "demand": [1], "timeWindows": [{"close": 60}]}
                  for name, x in (("near", 5), ("far", 45))],
    "vehicles": [{"id": "van", "capacity": [3]}],
}


class DispatchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-dispatch-"))
        cls.daemon = Daemon(flags=["--http-listen", "127.0.0.1:0"])
        cls.http = Http(cls.daemon)

    @classmethod
    def tearDownClass(cls):
        cls.daemon.clean_up()

    def decide(self, *arguments):
        return self.daemon.json("dispatch", "decide", RC208, *arguments)[0]

    def test_every_policy_serves_each_request_or_lets_it_wait(self):
        later = ("--departure", "0", "--later", "200,400")
        for policy in ("greedy", "lazy", "horizon", "sampling", "model"):
            draws = ("--requests-per-departure", "10") if policy in ("horizon", "sampling", "model") else ()
            answer = self.decide(*later, "--policy", policy, *draws, "--decision", "500ms")
            leave = [stop["id"] for route in answer["routes"] for stop in route["stops"]]
            wait = [request["id"] for request in answer["waiting"]]
            self.assertEqual(len(set(leave + wait)), 100, policy)
            self.assertEqual(len(leave + wait), 100, policy)
            self.assertTrue(answer["feasible"], policy)
            self.assertEqual(answer["policy"], policy)
            self.assertTrue(all(route["departure"] >= 0 for route in answer["routes"]))

    def test_a_decision_by_iterations_is_reproducible(self):
        words = ("--departure", "0", "--later", "200", "--requests-per-departure", "5", "--scenarios", "3", "--rounds", "2",
                 "--max-iterations", "50", "--seed", "7")
        first, second = self.decide(*words), self.decide(*words)
        first.pop("time_ms"), second.pop("time_ms")
        self.assertEqual(first, second)

    def test_requests_of_a_file_leave_under_their_ids(self):
        requests = self.folder / "requests.jsonl"
        requests.write_text('{"id": "a", "customer": "7", "must_go": true}\n{"id": "b", "customer": "7"}\n')
        answer = self.decide("--departure", "0", "--later", "100", "--policy", "lazy", "--requests", requests)
        self.assertEqual([stop["id"] for route in answer["routes"] for stop in route["stops"]], ["a"])
        self.assertEqual([request["id"] for request in answer["waiting"]], ["b"])
        requests.write_text('{"customer": "nowhere"}\n')
        refused = self.daemon.call("dispatch", "decide", RC208, "--departure", "0", "--requests", requests)
        self.assertEqual(refused.returncode, 2)
        self.assertIn('requests[0].customer: got "nowhere", wanted the id of a customer', refused.stderr)

    def test_http_decides_and_names_wrong_fields(self):
        body = {"instance": SITE, "departure": 5, "laterDepartures": [14], "policy": "DISPATCH_POLICY_LAZY", "budget": "0.1s"}
        status, _, answer = self.http.call("POST", "/v1/dispatch:decide", body)
        self.assertEqual(status, 200, answer)
        route, = answer["solution"]["routes"]
        self.assertEqual(route["stops"][1]["id"], "far")  # too late for it at 14 + 45 + 45 > 100
        self.assertEqual(answer["waiting"], [{"id": "near", "reason": "it can still leave at the next decision"}])
        status, _, answer = self.http.call("POST", "/v1/dispatch:decide", {**body, "laterDepartures": [14, 13]})
        self.assertEqual(status, 400)
        self.assertIn("later_departures[1]: got 13, wanted a time after 14", json.dumps(answer))

    def test_a_missed_request_is_an_exit_code(self):
        late = self.daemon.call("dispatch", "decide", RC208, "--departure", "950", "--policy", "greedy")
        self.assertEqual(late.returncode, 7, late.stderr)
        self.assertIn("MISSED", late.stdout)


if __name__ == "__main__":
    unittest.main()
