"""The daemon's RPCs without generated code: methods and messages come out of proto/vrp/v1/descriptor.binpb."""

import dataclasses

from python_environment import need

need("grpc", "google.protobuf")

import grpc  # noqa: E402
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory  # noqa: E402

from daemon import DATA, ROOT  # noqa: E402

POOL = descriptor_pool.DescriptorPool()
_FACTORY = message_factory.MessageFactory(POOL)
PACKAGE = "vrp.v1"


@dataclasses.dataclass(frozen=True)
class Method:
    name: str  # "SolverService/Solve"
    request: type
    response: type
    client_streams: bool
    server_streams: bool

    @property
    def path(self):
        return f"/{PACKAGE}.{self.name}"


def message(name):
    """The class of a message, by its name in the API: "SolveRequest"."""
    return _FACTORY.GetPrototype(POOL.FindMessageTypeByName(f"{PACKAGE}.{name}"))


def _read_methods():
    files = descriptor_pb2.FileDescriptorSet.FromString((ROOT / "proto" / "vrp" / "v1" / "descriptor.binpb").read_bytes())
    for file in files.file:
        POOL.Add(file)
    methods = {}
    for file in files.file:
        for service in POOL.FindFileByName(file.name).services_by_name.values():
            for method in service.methods:
                state = descriptor_pb2.MethodDescriptorProto()
                method.CopyToProto(state)
                name = f"{service.name}/{method.name}"
                methods[name] = Method(name, _FACTORY.GetPrototype(method.input_type),
                                       _FACTORY.GetPrototype(method.output_type), state.client_streaming,
                                       state.server_streaming)
    return methods


METHODS = _read_methods()


def connect(daemon, **options):
    """A channel of its own; more than one to an address do not share a connection."""
    settings = {"grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1,
                "grpc.use_local_subchannel_pool": 1, **options}
    return grpc.insecure_channel(daemon.address, options=list(settings.items()))


def start(channel, name, requests, timeout=None):
    """Any RPC, given messages or bytes, whatever its kind: an iterator of responses that is the call too."""
    method = METHODS[name]
    call = channel.stream_stream(
        method.path, request_serializer=lambda request: request if isinstance(request, bytes) else request.SerializeToString(),
        response_deserializer=method.response.FromString)
    return call(iter(requests), timeout=timeout)


def ask(channel, name, request=None, timeout=60):
    """One request, one answer."""
    return next(start(channel, name, [request or METHODS[name].request()], timeout))


def solve_request(path=DATA / "E-n22-k4.vrp", budget_ms=50, **fields):
    """Of a file of tests/data."""
    request = message("SolveRequest")(**fields)
    request.file.name = path.name
    request.file.content = path.read_bytes()
    request.budget.FromMilliseconds(budget_ms)
    return request


def generated_request(channel, customers, budget_ms, seed=1):
    """Of a CVRP that the daemon makes."""
    wanted = message("GenerateInstancesRequest")(problem_type=2, customers=customers, count=1, seed=seed)
    request = message("SolveRequest")(file=ask(channel, "DatasetService/GenerateInstances", wanted).file)
    request.budget.FromMilliseconds(budget_ms)
    return request


def is_sound(answer, customers=21):
    """Whether a plan serves each customer (of solve_request's instance) once, by the daemon's checker and by our own count."""
    served = sorted(stop.node for route in answer.solution.routes for stop in route.stops if stop.node != 0)
    return answer.feasible and served == list(range(1, customers + 1))
