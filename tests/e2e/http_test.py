"""Tests JSON over HTTP: calls, streams, uploads, VROOM's format, tokens, TLS, and requests of hostile pages and clients."""

import base64
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import time
import unittest

from daemon import BINARIES, DATA, Daemon

WAIT_S = 60
INSTANCE = {
    "metric": "METRIC_EXACT",
    "depots": [{"location": {"x": 0, "y": 0}}],
    "customers": [{"location": {"x": 3 + i, "y": 4 * i}, "demand": [1]} for i in range(6)],
    "vehicles": [{"capacity": [3], "count": 3}],
}
LARGE = {**INSTANCE, "customers": [{"location": {"x": i * 37 % 101, "y": i * 61 % 103}, "demand": [1]} for i in range(80)],
         "vehicles": [{"capacity": [9], "count": 9}]}
VROOM = {"vehicles": [{"id": 7, "start": [0, 0], "end": [0, 0], "start_index": 0, "end_index": 0}],
         "jobs": [{"id": 1, "location_index": 1}, {"id": 2, "location_index": 2}],
         "matrices": {"car": {"durations": [[0, 10, 20], [10, 0, 15], [20, 15, 0]]}}}


class Http:
    """A client of a daemon's HTTP address."""

    def __init__(self, daemon, tls=None):
        found = re.search(r"serving HTTP.*url=\"?(https?)://([^\s\"]+)", daemon.log_path.read_text())
        self.scheme, self.address = found.groups()
        self.host, port = self.address.rsplit(":", 1)
        self.port, self.tls = int(port), tls

    def connect(self):
        if self.tls is None:
            return http.client.HTTPConnection(self.host, self.port, timeout=WAIT_S)
        return http.client.HTTPSConnection(self.host, self.port, timeout=WAIT_S, context=self.tls)

    def call(self, method, path, body=None, content_type="application/json", **headers):
        """Returns status, headers and the body, parsed if it is JSON."""
        connection = self.connect()
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            fields["Content-Type"] = content_type
            body = body if isinstance(body, (bytes, str)) else json.dumps(body)
        try:
            connection.request(method, path, body, fields)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        parsed = json.loads(text) if answer.getheader("Content-Type") == "application/json" else text.decode()
        return answer.status, dict(answer.getheaders()), parsed

    def raw(self, data, finish=True):
        """Sends bytes. Returns all bytes up to the end of the connection, or closes it at once unless `finish`."""
        with socket.create_connection((self.host, self.port), timeout=WAIT_S) as plain:
            plain.sendall(data)
            answer = b""
            while finish and (part := plain.recv(65536)):
                answer += part
            return answer


def events_of(text):
    """Returns the (event, data) pairs of Server-Sent Events."""
    pairs = []
    for block in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if not line.startswith(":"))
        if fields:
            pairs.append((fields.get("event", "message"), json.loads(fields["data"])))
    return pairs


class HttpTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(flags=["--http-listen", "127.0.0.1:0", "--max-message-mib", "1", "--threads", "2"])
        cls.addClassCleanup(cls.daemon.clean_up)
        cls.http = Http(cls.daemon)

    def solve(self, **fields):
        return self.http.call("POST", "/v1/solve", {"instance": INSTANCE, "budget": "0.1s", **fields})

    def test_solves_as_json(self):
        status, headers, answer = self.solve()
        self.assertEqual(status, 200, answer)
        self.assertTrue(answer["feasible"])
        self.assertGreaterEqual(len(answer["solution"]["routes"]), 2)
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertIn("X-Request-Id", headers)
        self.assertFalse([name for name in headers if name.startswith("Access-Control")])

    def test_names_the_wrong_fields_of_an_instance(self):
        instance = {**INSTANCE, "customers": [{"location": {"x": 1, "y": 1}, "demand": [-1]}]}
        status, _, answer = self.solve(instance=instance)
        self.assertEqual((status, answer["error"]["status"], answer["error"]["code"]), (400, "INVALID_ARGUMENT", 400))
        kinds = {detail["@type"]: detail for detail in answer["error"]["details"]}
        violations = kinds["type.googleapis.com/google.rpc.BadRequest"]["fieldViolations"]
        self.assertIn("customers[0].demand", violations[0]["field"])

    def test_refuses_unreadable_requests(self):
        deep = '{"instance":' * 200
        for body in ("{", "[]", '{"nonsense": 1}', deep, b"\xff\xfe", '{"seed": "many"}'):
            status, _, answer = self.http.call("POST", "/v1/solve", body)
            self.assertEqual((status, answer["error"]["status"]), (400, "INVALID_ARGUMENT"), body)

    def test_answers_wrong_paths_methods_and_queries_with_their_codes(self):
        for method, path, wanted in (("GET", "/v1/nothing", 404), ("GET", "/v1/solve", "POST"), ("PUT", "/v1/models", "GET"),
                                     ("OPTIONS", "/v1/solve", "POST"), ("POST", "/v1/solveJobs/x", "GET, DELETE"),
                                     ("GET", "/v1/models/none", 404), ("GET", "/v1/models/none/versions/1", 404),
                                     ("GET", "/v1/models/none?nonsense=1", 400), ("GET", "/v1/models?pageSize=%zz", 400),
                                     ("GET", "/v1/models?name.x=1&name=2", 400), ("GET", "/v1/models/%zz", 400),
                                     ("GET", "/v1/models/a%2Fversions%2F1", 400), ("GET", "/v1/models", 200)):
            status, headers, answer = self.http.call(method, path)
            self.assertEqual(status, wanted if isinstance(wanted, int) else 405, (method, path, answer))
            self.assertEqual(headers.get("Allow"), None if isinstance(wanted, int) else wanted)

    def test_reads_stops_watches_and_deletes_a_job_by_its_path(self):
        solve = {"solve": {"instance": LARGE, "budget": "30s"}}
        status, _, job = self.http.call("POST", "/v1/solveJobs", solve)
        self.assertEqual(status, 200, job)
        path = f"/v1/{job['name']}"
        self.assertEqual(self.http.call("GET", path)[2]["name"], job["name"])
        self.assertEqual(self.http.call("GET", f"{path}?name={job['name']}")[0], 400)
        self.assertEqual(self.http.call("POST", f"{path}:stop", {"name": job["name"]})[0], 400)
        self.assertEqual(self.http.call("POST", f"{path}:stop", "")[0], 200)
        events = events_of(self.http.call("GET", f"{path}:watch?fromSequence=0")[2])
        self.assertEqual(events[-1], ("end", {}))
        self.assertEqual(self.http.call("DELETE", path)[0], 200)
        self.assertEqual(self.http.call("GET", path)[0], 404)

    def test_reads_query_parameters_of_get_requests(self):
        _, _, info = self.http.call("GET", "/v1/server")
        self.assertEqual(info["limits"]["maxMessageBytes"], str(1 << 20))
        status, _, answer = self.http.call("GET", "/v1/trainingJobs?pageSize=1&labels.team=blue")
        self.assertEqual((status, answer), (200, {}))

    def test_streams_improvements_as_events(self):
        status, headers, text = self.http.call("POST", "/v1/solve:stream", {"instance": INSTANCE, "budget": "0.2s"})
        self.assertEqual((status, headers["Content-Type"]), (200, "text/event-stream"))
        events = events_of(text)
        self.assertEqual(events[-1], ("end", {}))
        self.assertTrue(events[-2][1]["response"]["feasible"])

    def test_answers_errors_before_a_stream_with_an_http_status(self):
        status, _, answer = self.http.call("GET", "/v1/trainingJobs/none:watch")
        self.assertEqual((status, answer["error"]["status"]), (404, "NOT_FOUND"))

    def test_solves_a_batch_of_json_lines(self):
        lines = [json.dumps({"id": str(i), "solve": {"instance": INSTANCE, "budget": "0.05s"}}) for i in range(5)]
        status, headers, text = self.http.call("POST", "/v1/solve:batch", "\n".join(lines), "application/x-ndjson")
        self.assertEqual((status, headers["Content-Type"]), (200, "application/x-ndjson"), text)
        answers = [json.loads(line) for line in text.splitlines()]
        self.assertEqual(sorted(answer["id"] for answer in answers), list("01234"))
        self.assertTrue(all(answer["response"]["feasible"] for answer in answers))

    def test_names_the_wrong_line_of_an_upload(self):
        status, _, answer = self.http.call("POST", "/v1/matrices", '{"header": {"size": 2}}\n{"chunk": oops}\n',
                                           "application/x-ndjson")
        self.assertEqual(status, 400)
        self.assertIn("line 2", answer["error"]["message"])

    def test_uploads_matrices_as_raw_bytes_and_as_json_lines(self):
        values = [0.0, 1.0, 2.0, 0.0]
        status, _, raw = self.http.call("POST", "/v1/matrices?size=2", struct.pack("<4d", *values),
                                        "application/octet-stream")
        self.assertEqual(status, 200, raw)
        lines = json.dumps({"header": {"size": 2}}) + "\n" + json.dumps({"chunk": {"values": values}})
        status, _, same = self.http.call("POST", "/v1/matrices", lines, "application/x-ndjson")
        self.assertEqual((status, same["name"]), (200, raw["name"]))
        status, _, answer = self.http.call("POST", "/v1/matrices?size=2", b"1234567", "application/octet-stream")
        self.assertEqual(status, 400, answer)

    def test_uploads_a_raw_dataset(self):
        file = {"content": base64.b64encode((DATA / "E-n22-k4.vrp").read_bytes()).decode(), "format": "INSTANCE_FORMAT_VRPLIB"}
        _, _, converted = self.http.call("POST", "/v1/instances:convert", {"file": file, "format": "INSTANCE_FORMAT_JSON"})
        line = json.dumps(json.loads(base64.b64decode(converted["file"]["content"]))).encode() + b"\n"
        copies = 3 * (1 << 20) // len(line)
        status, _, answer = self.http.call("POST", "/v1/datasets?name=raw&fileName=x.jsonl", line * copies,
                                           "application/octet-stream")
        self.assertEqual(status, 200, answer)
        self.assertEqual(self.http.call("GET", f"/v1/{answer['name']}")[2]["instanceCount"], str(copies))

    def test_refuses_bodies_above_the_limit_at_once(self):
        status, _, answer = self.http.call("POST", "/v1/solve", "x" * (1 << 20) + "y")
        self.assertEqual((status, answer["error"]["status"]), (413, "RESOURCE_EXHAUSTED"))
        head = b"POST /v1/solve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n"
        self.assertIn(b" 413 ", self.http.raw(head))
        chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        head = b"POST /v1/solve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        self.assertIn(b" 413 ", self.http.raw(head + 17 * chunk))

    def test_answers_vroom_requests_in_vrooms_format(self):
        status, _, answer = self.http.call("POST", "/?budget=0.1s", VROOM)
        self.assertEqual((status, answer["code"]), (200, 0), answer)
        self.assertEqual(answer["summary"]["cost"], 45)
        self.assertEqual(answer["routes"][0]["vehicle"], 7)
        planned = {**VROOM, "options": {"c": True}, "vehicles": [{**VROOM["vehicles"][0], "steps": [
            {"type": "job", "id": 2, "service_at": 500}]}]}
        status, _, answer = self.http.call("POST", "/", planned)
        self.assertEqual((status, answer["summary"]["unassigned"]), (200, 1), answer)
        self.assertEqual(answer["routes"][0]["steps"][1]["arrival"], 500)
        status, _, answer = self.http.call("POST", "/", {"vehicles": []})
        self.assertEqual((status, answer["code"]), (400, 2))
        self.assertIn("error", answer)

    # The next tests send requests that hostile pages make in a browser.

    def test_refuses_forms_of_other_sites(self):
        for content_type in ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x", ""):
            status, _, _ = self.http.call("POST", "/v1/solve", json.dumps({"instance": INSTANCE}), content_type)
            self.assertEqual(status, 415, content_type)

    def test_refuses_foreign_origins(self):
        own = f"http://{self.http.address}"
        for origin, wanted in (("http://evil.example", 403), ("null", 403), (f"https://{self.http.address}", 403),
                               (f"http://{self.http.host}:1", 403), (own, 200)):
            self.assertEqual(self.http.call("GET", "/v1/models", Origin=origin)[0], wanted, origin)
        self.assertEqual(self.http.call("GET", "/v1/models", Sec_Fetch_Site="cross-site")[0], 403)
        self.assertEqual(self.http.call("GET", "/v1/models", Sec_Fetch_Site="same-origin")[0], 200)

    def test_refuses_rebound_names(self):
        for host, wanted in (("evil.example", 403), (f"evil.example:{self.http.port}", 403), ("", 403),
                             ("localhost.evil.example", 403), (f"LOCALHOST:{self.http.port}", 200), ("[::1]:80", 200)):
            answer = self.http.raw(f"GET /v1/models HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            self.assertIn(f" {wanted} ".encode(), answer.split(b"\r\n")[0], host)
        twice = self.http.raw(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\nConnection: close\r\n\r\n")
        self.assertIn(b" 403 ", twice)

    # The next tests send requests of hostile, slow or unusual clients.

    def test_refuses_requests_that_are_not_http(self):
        self.assertIn(b" 400 ", self.http.raw(b"\x16\x03\x01 nonsense\r\n\r\n"))
        self.assertIn(b" 431 ", self.http.raw(b"GET / HTTP/1.1\r\nX: " + b"a" * 40_000 + b"\r\n\r\n"))
        smuggled = b"POST /v1/solve HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        self.assertIn(b" 400 ", self.http.raw(smuggled))

    def test_closes_connections_that_send_their_head_slowly(self):
        with socket.create_connection((self.http.host, self.http.port), timeout=WAIT_S) as plain:
            end = time.monotonic() + WAIT_S
            with self.assertRaises(OSError):
                while time.monotonic() < end:
                    plain.sendall(b"G")
                    time.sleep(0.5)

    def test_serves_pipelined_requests_in_order(self):
        request = b"GET /v1/models/%d HTTP/1.1\r\nHost: localhost\r\n%s\r\n"
        answer = self.http.raw(request % (1, b"") + request % (2, b"Connection: close\r\n"))
        self.assertEqual(answer.count(b" 404 Not Found"), 2)

    def test_cancels_the_call_of_a_client_that_leaves(self):
        body = json.dumps({"instance": LARGE, "budget": "600s"}).encode()
        head = f"POST /v1/solve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.http.raw(head.encode() + body, finish=False)
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            stats = json.dumps(self.http.call("GET", "/v1/server/stats")[2])
            if '"CANCELLED"' in stats:
                return
            time.sleep(0.1)
        self.fail(stats)

    def test_answers_100_continue(self):
        body = json.dumps({"instance": INSTANCE, "budget": "0.05s"}).encode()
        with socket.create_connection((self.http.host, self.http.port), timeout=WAIT_S) as plain:
            plain.sendall(b"POST /v1/solve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                          b"Expect: 100-continue\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body))
            self.assertTrue(plain.recv(100).startswith(b"HTTP/1.1 100 Continue\r\n\r\n"))
            plain.sendall(body)
            self.assertTrue(plain.recv(100).startswith(b"HTTP/1.1 200 "))


class ProtectedHttpTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-http-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def start(self, *flags):
        listen = [] if "--http-listen" in flags else ["--http-listen", "127.0.0.1:0"]
        daemon = Daemon(flags=[*listen, *map(str, flags)])
        self.addCleanup(daemon.clean_up)
        return daemon

    def token(self, role):
        """Returns a fresh token and the line that grants it the role."""
        lines = subprocess.run([BINARIES / "vrpd", "--new-token", role], capture_output=True, text=True, check=True).stdout.splitlines()
        return lines[1], lines[3]

    def certificate(self, name, authority=None):
        """Returns the files of a new certificate and its key: self-signed, or signed by `authority`."""
        pem, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        signer = ["-CA", authority[0], "-CAkey", authority[1]] if authority else []
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
                        f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", *signer, "-keyout", key, "-out", pem],
                       check=True, capture_output=True)
        return pem, key

    def served_certificate(self, client):
        with socket.create_connection((client.host, client.port)) as plain, client.tls.wrap_socket(plain) as tls:
            return ssl.DER_cert_to_PEM_cert(tls.getpeercert(binary_form=True))

    def test_asks_for_client_certificates_as_grpc_does(self):
        authority, own = self.certificate("authority"), self.certificate("own")
        good, foreign = self.certificate("client", authority), self.certificate("foreign")
        client = Http(self.start("--tls-certificate", own[0], "--tls-key", own[1], "--tls-client-ca", authority[0]))
        for files, accepted in ((None, False), (foreign, False), (good, True)):
            client.tls = ssl.create_default_context(cafile=str(own[0]))
            if files is not None:
                client.tls.load_cert_chain(*files)
            if accepted:
                self.assertEqual(client.call("GET", "/v1/models")[0], 200)
                continue
            with self.assertRaises((OSError, http.client.HTTPException)):
                client.call("GET", "/v1/models")

    def test_reloads_certificates_and_tokens_at_sighup(self):
        own, tokens = self.certificate("own"), self.folder / "tokens"
        (old, old_line), (new, new_line) = self.token("read"), self.token("read")
        tokens.write_text(f"{old_line} a\n")
        tokens.chmod(0o600)
        daemon = self.start("--tls-certificate", own[0], "--tls-key", own[1], "--tokens", tokens)
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        client = Http(daemon, trusting)
        kept = client.connect()  # an open connection keeps its certificate
        self.addCleanup(kept.close)
        kept.request("GET", "/v1/models", headers={"Authorization": f"Bearer {old}"})
        self.assertEqual(kept.getresponse().read()[:1], b"{")
        before = self.served_certificate(client)
        self.certificate("own")
        tokens.write_text(f"{new_line} b\n")
        daemon.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + WAIT_S
        while client.call("GET", "/v1/models", Authorization=f"Bearer {new}")[0] != 200:
            self.assertLess(time.monotonic(), deadline)
        self.assertEqual(client.call("GET", "/v1/models", Authorization=f"Bearer {old}")[0], 401)
        self.assertNotEqual(self.served_certificate(client), before)
        kept.request("GET", "/v1/models", headers={"Authorization": f"Bearer {old}"})
        self.assertEqual(kept.getresponse().status, 401)

    def test_requires_tokens_and_roles_as_grpc_does(self):
        (reader, reader_line), (solver, solver_line) = self.token("read"), self.token("solve")
        tokens = self.folder / "tokens"
        tokens.write_text(f"{reader_line} a\n{solver_line} b\n")
        tokens.chmod(0o600)
        client = Http(self.start("--tokens", tokens))
        body = {"instance": INSTANCE, "budget": "0.1s"}
        for token, wanted in (("", 401), ("Bearer wrong", 401), (f"Basic {solver}", 401), (f"Bearer {reader}", 403),
                              (f"Bearer {solver}", 200)):
            status, headers, answer = client.call("POST", "/v1/solve", body, **({"Authorization": token} if token else {}))
            self.assertEqual(status, wanted, answer)
            self.assertEqual(headers.get("WWW-Authenticate"), "Bearer" if wanted == 401 else None)
        self.assertEqual(client.call("POST", "/", VROOM)[0], 401)
        self.assertEqual(client.call("GET", "/v1/models", Authorization=f"Bearer {reader}")[0], 200)
        self.assertEqual(client.call("GET", "/v1/openapi.json")[0], 200)

    def test_serves_tls(self):
        pem, key = self.certificate("own")
        daemon = self.start("--tls-certificate", pem, "--tls-key", key)
        client = Http(daemon, ssl.create_default_context(cafile=str(pem)))
        self.assertEqual(client.scheme, "https")
        self.assertEqual(client.call("POST", "/v1/solve", {"instance": INSTANCE, "budget": "0.1s"})[0], 200)
        self.assertEqual(client.call("GET", "/v1/models", Origin=f"https://{client.address}")[0], 200)
        self.assertNotIn(b"200", client.raw(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n"))

    def test_refuses_a_public_address_without_tls_and_tokens(self):
        with self.assertRaisesRegex(RuntimeError, "http_listen: .* is reachable from other machines"):
            self.start("--http-listen", "0.0.0.0:0")

    def test_finishes_requests_when_the_daemon_stops(self):
        daemon = self.start("--threads", 2)
        client = Http(daemon)
        idle = socket.create_connection((client.host, client.port))
        self.addCleanup(idle.close)
        answers = []
        solve = threading.Thread(target=lambda: answers.append(
            client.call("POST", "/v1/solve", {"instance": LARGE, "budget": "600s"})))
        solve.start()
        while json.dumps(client.call("GET", "/v1/server/stats")[2]).find("Solve") < 0:
            time.sleep(0.05)
        self.assertEqual(daemon.stop(), 0)
        solve.join(WAIT_S)
        status, _, answer = answers[0]
        self.assertEqual((status, answer["endReason"]), (200, "END_REASON_SHUTDOWN"))


if __name__ == "__main__":
    os.environ.pop("VRP_TOKEN", None)
    unittest.main(verbosity=2)
