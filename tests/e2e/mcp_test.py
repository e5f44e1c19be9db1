"""Tests `vrpctl mcp` with the official Python SDK of the Model Context Protocol, against a real daemon."""

import asyncio
import json
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

from python_environment import require_modules

require_modules("mcp")

from mcp import Client, StdioServerParameters, stdio_client  # noqa: E402

from daemon import BINARIES, DATA, TINY_TRAINING, Daemon  # noqa: E402

WAIT_S = 50  # bound on everything that a test waits for, less than the longest budget
BROKEN = {"kind": "cvrp", "name": "broken", "capacity": 10, "coords": [[0, 0], [1, 5], [4, 2]], "demands": [0, 4, -5]}


class McpTest(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-mcp-"))
        shutil.copy(DATA / "E-n22-k4.vrp", cls.folder / "city.vrp")

    @classmethod
    def tearDownClass(cls):
        cls.daemon.clean_up()
        shutil.rmtree(cls.folder, ignore_errors=True)

    def client(self, *flags, mode="auto"):
        """Returns an unopened client of a new server in a folder with city.vrp. Its log is in self.log."""
        self.log = tempfile.TemporaryFile("w+")
        self.addCleanup(self.log.close)
        server = StdioServerParameters(command=str(BINARIES / "vrpctl"), cwd=self.folder,
                                       args=["mcp", "--remote", self.daemon.address, *flags])
        return Client(stdio_client(server, errlog=self.log), mode=mode, read_timeout_seconds=WAIT_S)

    async def call(self, client, tool, **arguments):
        """Calls a tool, expects success and returns its structured result and its text."""
        result = await client.call_tool(tool, arguments)
        self.assertFalse(result.is_error, result.content)
        return result.structured_content, result.content[0].text

    async def refused(self, client, tool, **arguments):
        """Calls a tool, expects an error result and returns its text."""
        result = await client.call_tool(tool, arguments)
        self.assertTrue(result.is_error, result.content)
        return result.content[0].text

    async def in_flight(self, client):
        status, _ = await self.call(client, "server_status")
        return {rpc["rpc"]: rpc["in_flight"] for rpc in status["stats"]["rpcs"]}

    async def until(self, condition):
        """Waits until the awaitable that `condition` returns is true."""
        end = time.monotonic() + WAIT_S
        while not await condition():
            self.assertLess(time.monotonic(), end, f"the condition is still false after {WAIT_S} s")
            await asyncio.sleep(0.05)

    async def test_negotiates_legacy_and_current_protocol_versions(self):
        for mode, version in [("legacy", "2025-11-25"), ("auto", "2026-07-28")]:
            async with self.client(mode=mode) as client:
                self.assertEqual(client.protocol_version, version)
                self.assertEqual(client.server_info.name, "vrpctl")
                self.assertIn("solve", client.instructions)
                self.assertIn("solve", {tool.name for tool in (await client.list_tools()).tools})

    async def test_offers_only_reading_tools_by_default(self):
        async with self.client() as client:
            tools = (await client.list_tools()).tools
            self.assertTrue(all(tool.annotations.read_only_hint for tool in tools))
            self.assertTrue({"solve", "validate", "check", "convert", "list_jobs"} <= {tool.name for tool in tools})
            self.assertIn("--allow-train", await self.refused(client, "train", preset="tiny_1"))
            self.assertEqual((await self.call(client, "list_jobs"))[0]["jobs"], [])

    async def test_solves_a_file_and_checks_the_plan(self):
        progress = []

        async def on_progress(done, total, message):
            progress.append((done, total, message))

        async with self.client() as client:
            result = await client.call_tool("solve", {"path": "city.vrp", "budget_seconds": 0.5, "seed": 3},
                                            progress_callback=on_progress)
            self.assertFalse(result.is_error, result.content)
            plan, text = result.structured_content, result.content[0].text
            self.assertTrue(plan["feasible"])
            self.assertLess(plan["gap"], 0.05)
            served = sorted(int(stop["id"]) for route in plan["routes"] for stop in route["stops"])
            self.assertEqual(served, list(range(1, 22)))
            self.assertIn("checker: feasible", text)
            self.assertRegex(progress[-1][2], r"^cost \d+, 4 routes")
            self.assertTrue(all(done <= total == 0.5 for done, total, _ in progress))

            checked, _ = await self.call(client, "check", path="city.vrp", plan=plan)
            self.assertTrue(checked["feasible"])
            self.assertEqual(checked["cost"], plan["cost"])
            del plan["routes"][0]["stops"][0]
            plan["cost"] += 1
            checked, _ = await self.call(client, "check", path="city.vrp", plan=plan)
            self.assertEqual([violation["kind"] for violation in checked["violations"]],
                             ["missing_customer", "cost_mismatch"])
            del plan["cost"]
            checked, _ = await self.call(client, "check", path="city.vrp", plan=plan)
            self.assertEqual([violation["kind"] for violation in checked["violations"]], ["missing_customer"])
            restarted, _ = await self.call(client, "solve", path="city.vrp", plan=plan, budget_seconds=0.2)
            self.assertTrue(restarted["feasible"])

    async def test_checks_the_steps_of_a_vroom_problem(self):
        problem = {"vehicles": [{"id": 1, "start_index": 0, "end_index": 0, "time_window": [0, 900],
                                 "steps": [{"type": "start"}, {"type": "job", "id": 10}, {"type": "end"}]}],
                   "jobs": [{"id": 10, "location_index": 1}],
                   "matrices": {"car": {"durations": [[0, 600], [500, 0]]}}}
        async with self.client() as client:
            checked, text = await self.call(client, "check", text=json.dumps(problem))
            self.assertEqual((checked["feasible"], checked["cost"]), (False, 1100))
            self.assertEqual([violation["kind"] for violation in checked["violations"]], ["shift"])

    async def test_converts_pasted_text(self):
        async with self.client() as client:
            text = (self.folder / "city.vrp").read_text()
            converted, _ = await self.call(client, "convert", text=text, to="json")
            instance = json.loads(converted["content"])
            verdict, _ = await self.call(client, "validate", instance=instance)
            self.assertEqual((verdict["valid"], verdict["customers"]), (True, 21))

    async def test_names_the_wrong_field(self):
        async with self.client() as client:
            self.assertIn("customers[1].demand", await self.refused(client, "solve", instance=BROKEN))
            verdict, text = await self.call(client, "validate", instance=BROKEN)
            self.assertFalse(verdict["valid"])
            self.assertIn("customers[1].demand", text)
            text = await self.refused(client, "solve", path="city.vrp", budget_seconds=500, budgets=1)
            self.assertIn("budget_seconds: got 500, wanted at most 60", text)
            self.assertIn("budgets: unknown argument", text)

    async def test_reads_only_files_in_allowed_folders(self):
        (self.folder / "link.vrp").symlink_to(DATA / "E-n22-k4.vrp")
        async with self.client() as client:
            for path in (str(DATA / "E-n22-k4.vrp"), "../x.vrp", "link.vrp", "/etc/passwd"):
                self.assertIn("outside the allowed folders", await self.refused(client, "solve", path=path))
        async with self.client("--allow-folder", str(DATA)) as client:
            await self.call(client, "validate", path=str(DATA / "E-n22-k4.vrp"))
            self.assertIn("outside the allowed folders", await self.refused(client, "validate", path="city.vrp"))

    async def test_trains_if_allowed(self):
        progress = []

        async def on_progress(done, total, message):
            progress.append((done, total, message))

        async with self.client("--allow-train") as client:
            checked, _ = await self.call(client, "check_training", config_yaml=TINY_TRAINING)
            self.assertEqual(checked["settings"]["training.epochs"], "2")
            result = await client.call_tool("train", {"config_yaml": TINY_TRAINING, "wait": True},
                                            progress_callback=on_progress)
            self.assertFalse(result.is_error, result.content)
            job = result.structured_content
            self.assertEqual((job["state"], job["model"]), ("SUCCEEDED", "models/tiny/versions/1"))
            self.assertEqual(progress[-1][:2], (6, 6))
            history, _ = await self.call(client, "job_history", name=job["name"])
            self.assertEqual(history["points"][-1]["step"], 6)
            models, _ = await self.call(client, "list_models")
            self.assertIn("models/tiny/versions/1", [model["name"] for model in models["models"]])
            await self.call(client, "delete_job", name=job["name"])
            self.assertEqual((await self.call(client, "list_jobs"))[0]["jobs"], [])

    async def test_names_the_wrong_training_setting(self):
        async with self.client("--allow-train") as client:
            text = await self.refused(client, "train", preset="tiny_1", overrides=["training.epoks=2"])
            self.assertIn("training.epoks", text)

    async def test_cancels_the_call_on_the_daemon(self):
        async with self.client() as client:
            solving = asyncio.create_task(client.call_tool("solve", {"path": "city.vrp", "budget_seconds": 60}))

            async def runs():
                return (await self.in_flight(client)).get("SolverService/Solve", 0) == 1

            async def ended():
                return not await runs()

            await self.until(runs)
            solving.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await solving
            await self.until(ended)
        self.log.seek(0)
        self.assertRegex(self.log.read(), r"call tool=solve .* result=cancelled")

    def test_survives_wrong_messages_and_ends_with_its_input(self):
        server = subprocess.Popen([BINARIES / "vrpctl", "mcp", "--remote", self.daemon.address], cwd=self.folder,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(server.kill)
        solve = {"jsonrpc": "2.0", "id": "s", "method": "tools/call",
                 "params": {"name": "solve", "arguments": {"path": "city.vrp", "budget_seconds": 60}}}
        lines = ["{not json", '{"jsonrpc":"2.0","id":1,"method":"nonsense"}', json.dumps(solve),
                 '{"jsonrpc":"2.0","id":2,"method":"ping"}']
        out, _ = server.communicate("\n".join(lines) + "\n", timeout=WAIT_S)
        self.assertEqual(server.returncode, 0)
        answers = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([answer.get("error", {}).get("code") for answer in answers], [-32700, -32601, None])
        self.assertEqual(answers[2]["id"], 2)

    def test_ends_after_a_signal_while_its_input_is_open(self):
        server = subprocess.Popen([BINARIES / "vrpctl", "mcp", "--remote", self.daemon.address], cwd=self.folder,
                                  stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        with server:
            self.addCleanup(server.kill)
            self.assertIn("serving", server.stderr.readline())
            server.terminate()
            self.assertEqual(server.wait(timeout=WAIT_S), 130)


if __name__ == "__main__":
    unittest.main(verbosity=2)
