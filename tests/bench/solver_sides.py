"""Runs the solvers that the scripts of this folder compare: vrpd, and those of measure_solvers.py.

vrpd is called over gRPC and pinned to one core. Each class has run(instance, limit, seed), which returns (routes or
None, seconds of wall time). An instance is a dictionary as loaded by measure_solvers.py: name, kind (cvrp, vrptw, tsp),
metric, capacity, coords with the depot first, and demands. With windows it also has time_windows, service and vehicles.
"""

import argparse
import copy
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
VROOM_LEVEL = 5  # exploration level, in place of a time limit
LATE_S = 60  # time beyond the limit after which a call fails


def comparison_parser(description):
    """Returns a parser of the arguments that the scripts on generated instances share."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=20, help="number of instances, per feature if there are several")
    parser.add_argument("--limit", type=float, default=2, help="time limit of a run in seconds")
    parser.add_argument("--customers", type=int, nargs=2, default=(50, 100), metavar=("MIN", "MAX"),
                        help="range of customers per instance")
    parser.add_argument("--seed", type=int, default=1, help="seed of the instances and of the searches")
    parser.add_argument("--build", default=ROOT / "build/dev", type=pathlib.Path, help="folder with bin/vrpd")
    parser.add_argument("--core", type=int, default=0, help="CPU core on which the solvers run")
    return parser


def load_script(path):
    spec = importlib.util.spec_from_file_location("measure_solvers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def generated_messages(folder):
    """Generates the API's Python messages into `folder` with protoc. They need the package googleapis-common-protos."""
    protos = sorted(str(path) for path in (ROOT / "proto").rglob("*.proto"))
    subprocess.run(["protoc", "-I", ROOT / "proto", "-I", ROOT / "third_party/proto", "--python_out", folder, *protos],
                   check=True)
    sys.path.insert(0, str(folder))
    from vrp.v1 import instance_pb2, solver_service_pb2
    return instance_pb2, solver_service_pb2


class Vrpd:
    """A private daemon on one core. Times are from before sending a request until its response has arrived."""

    def __init__(self, build, core):
        import grpc
        self._strategy, self._model = "STRATEGY_SEARCH", ""
        self._folder = tempfile.TemporaryDirectory()
        self._instances, self._solver = generated_messages(self._folder.name)
        sys.path.insert(0, str(ROOT / "tests" / "e2e"))
        from daemon import Daemon
        self._daemon = Daemon(flags=("--threads", "1"), binary=pathlib.Path(build) / "bin" / "vrpd")
        subprocess.run(["taskset", "--all-tasks", "--cpu-list", "--pid", str(core), str(self._daemon.process.pid)],
                       check=True, stdout=subprocess.DEVNULL)
        self._channel = grpc.insecure_channel(self._daemon.address)
        self._solve, self._check = (self._method(name) for name in ("Solve", "CheckSolution"))

    def _method(self, name):
        answer = "SolveResponse" if name == "Solve" else f"{name}Response"
        return self._channel.unary_unary(f"/vrp.v1.SolverService/{name}",
                                         request_serializer=getattr(self._solver, f"{name}Request").SerializeToString,
                                         response_deserializer=getattr(self._solver, answer).FromString)

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
        answer, seconds = self._answer({"instance": self._message(instance)}, limit, seed)
        routes = [[stop.node for stop in route.stops if not stop.depot] for route in answer.solution.routes]
        return routes, seconds

    def _answer(self, given, limit, seed):
        start = time.perf_counter()
        request = self._solver.SolveRequest(**given, strategy=self._strategy, model=self._model, threads=1, seed=seed)
        request.budget.FromNanoseconds(round(1e9 * limit))
        answer = self._solve(request, timeout=limit + LATE_S)
        return answer, time.perf_counter() - start

    def _file(self, text, form="JSON"):
        return self._instances.InstanceFile(format=f"INSTANCE_FORMAT_{form}", content=text.encode())

    def solve_file(self, text, limit, seed):
        """Solves an instance of our JSON. Returns the routes in the form of check_file(), and the seconds."""
        answer, seconds = self._answer({"file": self._file(text)}, limit, seed)
        routes = []
        for route in answer.solution.routes:
            stops = list(route.stops)[1:]
            ends = 1 if stops and stops[-1].depot else 0
            routes.append((route.vehicle, [stop.node for stop in stops[:len(stops) - ends]]))
        return routes, seconds

    def check_file(self, text, routes):
        """Returns the checker's response for routes of (vehicle type, nodes in order, reloads by their depot)."""
        request = self._solver.CheckSolutionRequest(file=self._file(text))
        request.solution.SetInParent()  # a plan may have no routes
        for vehicle, nodes in routes:
            route = request.solution.routes.add(vehicle=vehicle)
            for node in nodes:
                route.stops.add(node=node)
        return self._check(request, timeout=LATE_S)

    def solve_vrplib(self, text, limit, seed):
        """Solves an instance in CVRPLIB format. Returns the solution and the seconds."""
        answer, seconds = self._answer({"file": self._file(text, "VRPLIB")}, limit, seed)
        return answer.solution, seconds

    def check_vrplib(self, text, plan):
        """Returns the checker's response for a plan in .sol format."""
        request = self._solver.CheckSolutionRequest(file=self._file(text, "VRPLIB"))
        request.solution_file.content = plan.encode()
        return self._check(request, timeout=LATE_S)

    def with_network(self, model):
        """Returns a solver that uses STRATEGY_SEEDED with `model` on the same daemon."""
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
        start = time.perf_counter()
        history = self._script.RUN[self._name](problem, VROOM_LEVEL if self._name == "vroom" else limit, seed, False, 1)
        seconds = time.perf_counter() - start
        return (history[-1][1] if history else None), seconds
