"""The sides that compare_solvers.py runs: vrpd over gRPC, held to one core, and the solvers of measure_solvers.py.

Each has run(instance, limit, seed), which returns (routes or None, seconds of wall clock). An instance is a dictionary
as measure_solvers.py loads it: name, kind (cvrp, vrptw, tsp), metric, capacity, coords with the depot first, demands,
and with windows time_windows, service, vehicles.
"""

import copy
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
VROOM_LEVEL = 5  # its own scale of effort, instead of a limit
LATE_S = 60


def load_script(path):
    spec = importlib.util.spec_from_file_location("measure_solvers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def generated_messages(folder):
    """The Python messages of the API, generated into `folder` by protoc. They need the package googleapis-common-protos."""
    protos = sorted(str(path) for path in (ROOT / "proto").rglob("*.proto"))
    subprocess.run(["protoc", "-I", ROOT / "proto", "-I", ROOT / "third_party/proto", "--python_out", folder, *protos],
                   check=True)
    sys.path.insert(0, str(folder))
    from vrp.v1 import instance_pb2, solver_service_pb2
    return instance_pb2, solver_service_pb2


class Vrpd:
    """A daemon of one's own on one core. The clock runs from before the request is sent until the answer is there."""

    def __init__(self, build, core):
        import grpc
        self._strategy, self._model = "STRATEGY_SEARCH", ""
        self._folder = tempfile.TemporaryDirectory()
        self._instances, self._solver = generated_messages(self._folder.name)
        os.environ["VRP_BINARY_DIR"] = str(build)
        sys.path.insert(0, str(ROOT / "tests" / "e2e"))
        from daemon import Daemon
        self._daemon = Daemon(flags=("--threads", "1"))
        subprocess.run(["taskset", "--all-tasks", "--cpu-list", "--pid", str(core), str(self._daemon.process.pid)],
                       check=True, stdout=subprocess.DEVNULL)
        self._channel = grpc.insecure_channel(self._daemon.address)
        self._solve = self._channel.unary_unary("/vrp.v1.SolverService/Solve",
                                                request_serializer=self._solver.SolveRequest.SerializeToString,
                                                response_deserializer=self._solver.SolveResponse.FromString)

    def close(self):
        self._channel.close()
        self._daemon.stop()
        self._daemon.clean_up()
        self._folder.cleanup()

    def _message(self, instance):
        pb = self._instances
        message = pb.Instance(name=instance["name"], problem_type=f"PROBLEM_TYPE_{instance['kind'].upper()}",
                              metric={"round": pb.METRIC_CVRPLIB, "trunc1": pb.METRIC_DIMACS}.get(instance.get("metric"),
                                                                                                 pb.METRIC_EXACT))
        windows = instance.get("time_windows")
        for node, (x, y) in enumerate(instance["coords"]):
            one = message.customers.add() if node else message.depots.add()
            one.location.x, one.location.y = x, y
            if node and "demands" in instance:
                one.demand.append(instance["demands"][node])
            if windows:
                window = one.time_windows.add() if node else one.time_window
                window.open, window.close = windows[node]
            if node and "service" in instance:
                one.service_time = instance["service"][node]
        if instance["kind"] != "tsp":
            message.vehicles.add(count=instance.get("vehicles") or 0, capacity=[instance["capacity"]])
        return message

    def run(self, instance, limit, seed):
        message = self._message(instance)
        begun = time.perf_counter()
        request = self._solver.SolveRequest(instance=message, strategy=self._strategy, model=self._model, threads=1,
                                            seed=seed)
        request.budget.FromNanoseconds(round(1e9 * limit))
        answer = self._solve(request, timeout=limit + LATE_S)
        seconds = time.perf_counter() - begun
        routes = [[stop.node for stop in route.stops if not stop.depot] for route in answer.solution.routes]
        return routes, seconds

    def with_network(self, model):
        """The same daemon, asked for STRATEGY_SEEDED with `model`."""
        other = copy.copy(self)
        other._strategy, other._model = "STRATEGY_SEEDED", model
        return other


class Peer:
    """One of measure_solvers.py's solvers in this process."""

    def __init__(self, script, name):
        self._script = script
        self._name = name

    def close(self):
        pass

    def run(self, instance, limit, seed):
        problem = self._script.Problem(instance, 10_000)
        begun = time.perf_counter()
        history = self._script.RUN[self._name](problem, VROOM_LEVEL if self._name == "vroom" else limit, seed, False, 1)
        seconds = time.perf_counter() - begun
        return (history[-1][1] if history else None), seconds
