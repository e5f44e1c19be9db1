"""Builds a well-formed call of each RPC."""

from api import METHODS, message
from daemon import DATA, ROOT, tiny_config


class Examples:
    """Well-formed messages of each RPC. RPCs without a case in _special get only a resource name, which need not exist.

    ImportModel gets only the first 5,000 bytes of the weights."""

    def __init__(self, daemon, folder):
        self.training = daemon.json("train", "--config", tiny_config(folder), "--detach")[0]["name"]
        self.solve_job = daemon.json("solve", DATA / "E-n22-k4.vrp", "--job", "--detach", "--budget", "100ms")[0]["name"]
        daemon.events_until(lambda event: event.get("state") == "SUCCEEDED", "jobs", "watch", self.training)
        daemon.events_until(lambda event: event.get("state") == "SUCCEEDED", "solve-jobs", "watch", self.solve_job)
        self.config = tiny_config(folder).read_text()
        self.instance = self._instance()

    @staticmethod
    def _instance():
        instance = message("Instance")(name="tiny", problem_type=3)
        instance.depots.add(id="depot").location.x = 1
        for i in range(5):
            customer = instance.customers.add(id=f"c{i}", demand=[1], service_time=1, required_skills=["a"])
            customer.location.x, customer.location.y = i, i * i
            customer.time_windows.add(open=0, close=1000)
        instance.vehicles.add(id="van", count=2, capacity=[5], skills=["a"]).breaks.add(duration=1).time_window.close = 50
        return instance

    def request_bytes(self, name):
        """Returns the serialised request messages of the RPC `name`."""
        messages = self._special(name)
        if messages is not None:
            return [part.SerializeToString() for part in messages]
        request = METHODS[name].request()
        if "name" in request.DESCRIPTOR.fields_by_name and request.DESCRIPTOR.fields_by_name["name"].type == 9:
            request.name = self._resource(name)
        return [request.SerializeToString()]

    def _resource(self, name):
        kind = next(kind for kind in ("SolveJob", "Simulation", "Sweep", "Training", "Model", "Matrices", "Dataset", "") if kind in name.split("/")[1])
        exists = "Delete" not in name
        return {"SolveJob": self.solve_job if exists else "solveJobs/0123456789abcdef",
                "Simulation": "simulations/0123456789abcdef",
                "Sweep": "sweeps/0123456789abcdef",
                "Training": self.training if exists else "trainingJobs/0123456789abcdef",
                "Model": "models/gt-mixed", "Matrices": "matrices/" + 64 * "a", "Dataset": "datasets/none",
                "": "x"}[kind]

    def _solve(self):
        solve = message("SolveRequest")(instance=self.instance, threads=1, seed=1)
        solve.budget.FromMilliseconds(10)
        return solve

    def _special(self, name):
        generated = message("GenerateInstancesRequest")(problem_type=2, customer_count=5, instance_count=2, seed=1)
        if name in ("SolverService/Solve", "SolverService/StreamSolve"):
            return [self._solve()]
        if name == "SolverService/BatchSolve":
            return [message("BatchSolveRequest")(id=str(i), solve=self._solve()) for i in range(3)]
        if name == "SolverService/CheckSolution":
            check = message("CheckSolutionRequest")(instance=self.instance)
            check.solution.routes.add().stops.add(node=1)
            return [check]
        if name == "DispatchService/Decide":
            decide = message("DecideRequest")(instance=self.instance, later_departures=[10, 20], requests_per_departure=2,
                                              max_iterations=10)
            decide.requests.add(customer="c1", demand=[2])
            decide.requests.add(id="own", customer="c1").time_window.close = 500
            return [decide]
        if name == "EstimateService/EstimateCosts":
            estimate = message("EstimateCostsRequest")()
            estimate.inputs.add().instance.CopyFrom(self.instance)
            return [estimate]
        if name == "SimulationService/CreateSimulation":
            spec = message("SimulationSpec")(days=1, epoch=100, margin=10, requests_per_epoch=2, max_iterations=10)
            spec.sites.add().instance.CopyFrom(self.instance)
            spec.policies.add(policy="DISPATCH_POLICY_GREEDY")
            log = message("SimulationSpec")(sites=spec.sites, policies=spec.policies, epoch=100, max_iterations=10)
            log.request_log.content = b'{"day": "1", "id": "a", "at": 0, "customer": "c1"}'
            create = message("CreateSimulationRequest")
            return [create(spec=one, request_id="hostile", validate_only=True) for one in (spec, log)]
        if name == "SweepService/CreateSweep":
            request = message("CreateSweepRequest")(validate_only=True, request_id="hostile")
            request.spec.sweep_yaml = "method: grid\nkeys: {training.seed: [1, 2], training.batch_size: {min: 8, max: 16, count: 2}}\n"
            request.spec.base.config_yaml, request.spec.base.config_name = self.config, "tiny.yaml"
            return [request]
        if name in ("SolverService/ValidateInstance", "SolverService/ConvertInstance"):
            request = METHODS[name].request(instance=self.instance)
            if "format" in request.DESCRIPTOR.fields_by_name:
                request.format = 3
            return [request]
        if name == "SolverService/CreateSolveJob":
            return [message("CreateSolveJobRequest")(solve=self._solve(), request_id="hostile", validate_only=True)]
        if name == "TrainingService/CreateTrainingJob":
            request = message("CreateTrainingJobRequest")(validate_only=True)
            request.spec.config_yaml, request.spec.config_name = self.config, "tiny.yaml"
            request.spec.overrides.append("training.epochs=1")
            return [request]
        if name == "DatasetService/GenerateInstances":
            return [generated]
        if name == "ModelService/EvaluateModel":
            return [message("EvaluateModelRequest")(model="models/ptrnet-cvrp20", generate=generated)]
        if name == "DatasetService/UploadMatrices":
            upload = message("UploadMatricesRequest")
            return [upload(header={"size": 3}), upload(chunk={"values": [0, 1, 2, 1, 0, 3, 2]}), upload(chunk={"values": [3, 0]})]
        if name == "DatasetService/UploadDataset":
            upload = message("UploadDatasetRequest")
            line = b'{"kind": "cvrp", "coords": [[0, 0], [1, 0]], "demands": [0, 1], "capacity": 2}'
            return [upload(header={"name": "hostile", "file_name": "own.jsonl"}), upload(chunk=line[:40]), upload(chunk=line[40:])]
        if name == "ModelService/ImportModel":
            part, model = message("ImportModelRequest"), ROOT / "models" / "ptrnet-cvrp20" / "1"
            return [part(header={"name": "brought"}),
                    part(chunk={"file": "card.json", "data": (model / "card.json").read_bytes()}),
                    part(chunk={"file": "weights.safetensors", "data": (model / "weights.safetensors").read_bytes()[:5000]})]
        return None
