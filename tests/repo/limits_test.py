"""Tests that limits in the protos' comments match the code, which defines each once."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# (constant, the one file of core/ or server/ that defines it, proto file, message.field, text in the field's comment)
LIMITS = [
    ("kMaxWidth", "core/solve/solve_limits.h", "solve.proto", "SolveRequest.width", "1 to {}"),
    ("kDefaultWidth", "core/solve/solve_limits.h", "solve.proto", "SolveRequest.width", "0 means {}"),
    ("kMaxRounds", "core/solve/solve_limits.h", "solve.proto", "SolveRequest.rounds", "1 to {}"),
    ("kDefaultRounds", "core/solve/solve_limits.h", "solve.proto", "SolveRequest.rounds", "0 means {}"),
    ("kMaxWidth", "core/solve/solve_limits.h", "model_service.proto", "DecodeMode.width", "At most {}"),
    ("kMaxRounds", "core/solve/solve_limits.h", "model_service.proto", "DecodeMode.width", "{} for improved"),
    ("kMaxNodes", "core/problem/instance/instance_data.h", "instance.proto", "Instance.customers", "at most {} nodes"),
    ("kMaxMatrixNodes", "core/problem/instance/instance_data.h", "instance.proto", "Instance.distance_matrix", "At most {} nodes"),
    ("kMaxTimedMatrices", "core/problem/instance/instance_data.h", "instance.proto", "Instance.duration_matrices", "At most {} entries"),
    ("kMaxLoadDimensions", "core/problem/instance/instance_data.h", "instance.proto", "Vehicle.capacity", ", at most {}."),
    ("kMaxBreaks", "core/problem/instance/instance_data.h", "instance.proto", "Vehicle.breaks", "At most {}."),
    ("kMaxCustomerPriority", "core/problem/instance/instance_data.h", "instance.proto", "Customer.priority", "0 (lowest) to {}"),
    ("kMaxPriority", "core/jobs/submission.cc", "training_service.proto", "TrainingSpec.priority", "-1,000 to {}"),
    ("kMaxInstanceNameBytes", "core/problem/instance/instance_data.h", "instance.proto", "InstanceFile.name", "At most {} bytes"),
    ("kMaxBatchIdBytes", "server/service/solver_handler.cc", "solver_service.proto", "BatchSolveRequest.id",
     "At most {} bytes"),
    ("kMaxRequestIdBytes", "core/jobs/submission.cc", "solve_job.proto", "CreateSolveJobRequest.request_id",
     "At most {} bytes of printable UTF-8"),
    ("kMaxRequestIdBytes", "core/jobs/submission.cc", "training_service.proto", "CreateTrainingJobRequest.request_id",
     "At most {} bytes of printable UTF-8"),
    ("kMaxYamlBytes", "core/train/config/yaml_tree.h", "training_service.proto", "TrainingSpec.config_yaml", "at most {} bytes"),
    ("kMaxConfigNameBytes", "core/jobs/submission.cc", "training_service.proto", "TrainingSpec.config_name",
     "at most {} bytes"),
    ("kMaxOverrides", "core/jobs/submission.cc", "training_service.proto", "TrainingSpec.overrides", "At most {} of"),
    ("kMaxOverrideBytes", "core/jobs/submission.cc", "training_service.proto", "TrainingSpec.overrides", "of {} bytes"),
    ("kMaxDeviceBytes", "core/jobs/submission.cc", "training_service.proto", "TrainingSpec.device", "At most {} bytes"),
    ("kMaxLabels", "core/jobs/submission.cc", "training_service.proto", "TrainingSpec.labels", "At most {}."),
    ("kMaxLabelBytes", "core/jobs/submission.cc", "training_service.proto", "TrainingSpec.labels",
     "at most {} bytes of printable UTF-8"),
    ("kMaxPageSize", "core/base/page_size.h", "training_service.proto", "ListTrainingJobsRequest.page_size", "1 to {}."),
    ("kDefaultPageSize", "core/base/page_size.h", "training_service.proto", "ListTrainingJobsRequest.page_size",
     "0 means {}"),
    ("kMaxPageSize", "core/base/page_size.h", "solve_job.proto", "ListSolveJobsRequest.page_size", "1 to {}."),
    ("kMaxPageSize", "core/base/page_size.h", "model_service.proto", "ListModelsRequest.page_size", "1 to {}."),
    ("kMaxPoints", "core/jobs/job_book.cc", "training_service.proto", "GetTrainingHistoryRequest.max_points", "1 to {}."),
    ("kDefaultPoints", "core/jobs/job_book.cc", "training_service.proto", "GetTrainingHistoryRequest.max_points",
     "0 means {}"),
    ("kMaxInstances", "server/service/model_evaluation.cc", "model_service.proto", "EvaluateModelRequest.files", "1 to {},"),
    ("kMaxHabitCostDays", "core/solve/habit_costs.h", "model_service.proto", "HabitSearch.max_days", "1 to {}."),
    ("kMaxHabitCostWeights", "core/solve/habit_costs.h", "model_service.proto", "HabitSearch.weights", "at most {},"),
    ("kMaxHabitWeight", "core/habits/habit_guide.h", "model_service.proto", "HabitSearch.weights", "above 0, at most {}."),
    ("kMaxHabitCostIterations", "core/solve/habit_costs.h", "model_service.proto", "HabitSearch.max_iterations", "at most {}."),
    ("kMaxNodes", "core/problem/instance/instance_data.h", "dataset_service.proto", "GenerateInstancesRequest.customer_count", "2 to {}"),
    ("kMaxCount", "server/service/dataset_handler.cc", "dataset_service.proto", "GenerateInstancesRequest.instance_count", "1 to {}."),
    ("kMaxLoggedRequests", "core/dispatch/log_line.h", "dataset_service.proto", None, "{} requests and"),
    ("kMaxLaterDepartures", "server/convert/dispatch_convert.cc", "dispatch_service.proto",
     "DecideRequest.later_departures", "at most {}."),
    ("kMaxRequestsPerDeparture", "server/convert/dispatch_convert.cc", "dispatch_service.proto",
     "DecideRequest.requests_per_departure", "1 to {}."),
    ("kMaxEstimates", "server/convert/estimate_convert.h", "estimate_service.proto", "EstimateCostsRequest.subsets",
     "at most {} estimates"),
    ("kMaxEstimatedCustomers", "core/estimate/subproblem.h", "estimate_service.proto", "EstimateCostsRequest.inputs",
     "at most {} customers"),
    ("kMaxRoundsOfScenarios", "server/convert/dispatch_policy.cc", "dispatch.proto", "DispatchSampling.rounds",
     "1 to {}."),
    ("kMaxScenarios", "server/convert/dispatch_policy.cc", "dispatch.proto", "DispatchSampling.scenarios", "1 to {}."),
    ("kMaxChunkValues", "server/service/matrix_handler.cc", "dataset_service.proto", None, "At most {} per chunk"),
]

# Limits that no proto states: (constant, the one file of core/ or server/ that defines it).
OWNED = [
    ("kWidthMultiple", "core/model/policy/network_limits.h"),
    ("kMinLogitClip", "core/model/policy/network_limits.h"),
    ("kMaxLogitClip", "core/model/policy/network_limits.h"),
    ("kMaxTransformerHidden", "core/model/graph_transformer/graph_transformer_architecture.h"),
    ("kMaxTransformerHeads", "core/model/graph_transformer/graph_transformer_architecture.h"),
    ("kMaxTransformerFeedForward", "core/model/graph_transformer/graph_transformer_architecture.h"),
    ("kMaxTransformerLayers", "core/model/graph_transformer/graph_transformer_architecture.h"),
    ("kMaxHidden", "core/model/pointer_network/pointer_architecture.h"),
    ("kMaxLayers", "core/model/pointer_network/pointer_architecture.h"),
    ("kMaxDropout", "core/model/pointer_network/pointer_architecture.h"),
]

# Constants that the client repeats, because it must not include the core: (constant, file of client/, the constant that it repeats).
CLIENT = [
    ("kMaxMatrixRows", "client/support/matrix_file.cc", "kMaxMatrixNodes"),
    ("kMaxPoints", "client/commands/jobs_history.cc", "kMaxPoints"),
    ("kMaxModelVersion", "client/commands/models_manage.cc", "kMaxModelVersion"),
]


def value_of(name, path):
    """Returns the constant's value from its definition `constexpr TYPE NAME = EXPRESSION;`."""
    match = re.search(rf"constexpr \w+(?:_t)? {name} =\s*([^;]+);", (ROOT / path).read_text())
    if match is None:
        raise AssertionError(f"{path}: got no definition of {name}, wanted `constexpr TYPE {name} = ...;`")
    expression = re.sub(r"\b(?:u?int\d+_t|size_t)\{(\d+)\}", r"\1", match[1]).replace("'", "")
    if not re.fullmatch(r"[\d\s<*+()-]+", expression):
        raise AssertionError(f"{path}: {name} = {expression}: the test can evaluate only numbers")
    return eval(expression)  # pylint: disable=eval-used


def definitions(name):
    found = []
    for folder in ("core", "server"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cc") and re.search(rf"constexpr \w+(?:_t)? {name} =", path.read_text()):
                found.append(str(path.relative_to(ROOT)))
    return found


def comment_of(proto, field):
    """Returns the comment right before the field `Message.name`, or the whole file if `field` is None."""
    text = (ROOT / "proto/vrp/v1" / proto).read_text()
    if field is None:
        return text
    message, name = field.split(".")
    body = text[text.index(f"message {message} {{"):]
    comment = []
    for line in body.splitlines()[1:]:
        if re.search(rf"\s{name} = \d+", line):
            return " ".join(comment)
        stripped = line.strip()
        comment = comment + [stripped.removeprefix("//").strip()] if stripped.startswith("//") else []
    raise AssertionError(f"{proto}: got no field {name} in message {message}, wanted {field} of LIMITS")


class LimitsTest(unittest.TestCase):
    def test_finds_the_limits_of_the_code_in_proto_comments(self):
        for name, path, proto, field, form in LIMITS:
            with self.subTest(f"{field or proto}: {name}"):
                self.assertIn(form.format(f"{value_of(name, path):,}"), comment_of(proto, field))

    def test_finds_one_definition_of_each_limit(self):
        for name, path in sorted({limit[:2] for limit in LIMITS} | set(OWNED)):
            with self.subTest(name):
                found = definitions(name)
                self.assertEqual(found, [path])

    def test_finds_no_other_ranges_of_network_sizes(self):
        key = re.compile(r'"(?:network\.|graph_transformer\.)?(?:hidden|layers|heads|feed_forward|dropout|logit_clip)"'
                         r"[^;]*?[{,]\s*[^;]*?,\s*(\d[\d.']+)[}),]")
        for folder in ("core/model", "core/train"):
            for path in sorted((ROOT / folder).rglob("*.cc")):
                with self.subTest(path.name):
                    self.assertEqual(key.findall(path.read_text()), [])

    def test_finds_equal_limits_in_the_client(self):
        owners = {name: path for name, path, *_ in LIMITS} | {"kMaxModelVersion": "core/registry/model_folder.h"}
        for name, path, owner in CLIENT:
            with self.subTest(name):
                self.assertEqual(value_of(name, path), value_of(owner, owners[owner]))


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
