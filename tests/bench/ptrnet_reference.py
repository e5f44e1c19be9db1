#!/usr/bin/env python3
"""Compares supervised training of our pointer network with plain torch: accuracy, greedy gap, seconds per epoch.

Needs train_bench (built by ./dev build dev train_bench) and a Python with torch:
  python3 -m venv V && V/bin/pip install torch numpy

Both trainers have the same network (torch.nn.LSTM, attention as in core/model/torch/pointer_network.cc), labels, batch
size, loss, dropout and Adam. Our trainer runs configs/ptrnet_supervised.yaml and keeps its label sets. The torch
trainer reads the training set and the held-out set from there. Each trainer draws its own initial weights and batches,
so accuracies are compared over the seeds. Both use teacher forcing in all epochs, while the configuration reduces it.
The trainers alternate for each seed.

Prints one JSON line per seed, trainer ("side") and epoch. A line holds the accuracy on the held-out labels (with teacher
forcing), the mean cost of greedy tours, its gap to the labels, and the seconds of training. Then prints the final differences,
with two standard errors (of the seeds and of the accuracy's sample).

Examples:
  V/bin/python tests/bench/ptrnet_reference.py                                         hours
  V/bin/python tests/bench/ptrnet_reference.py --samples 2000 --epochs 5 --seeds 2     minutes
"""

import argparse
import json
import math
import os
import pathlib
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from peer import ROOT, quiet_openmp

quiet_openmp()

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402

HEADS = 8
EPOCH = re.compile(r"epoch (\d+)/\d+: validation ([\d.]+), gap ([-+\d.]+) % vs .*accuracy ([\d.]+) %")


class Record:
    """One sample of a label set (core/train/data/sample_record.cc)."""

    def __init__(self, data):
        self._data, self._at = data, 0
        self._take("<iiid")
        self.positions = self._vector("<f8", 2).reshape(-1, 2)
        self.demands = self._vector("<f8")
        for width in (1, 2, 1, 1, 1):  # a CVRP has no backhauls, windows, services or matrices
            self._vector("<f8", width)
        (self.cost,) = self._take("<d")
        (vehicles,) = self._take("<I")
        self.capacity = [self._take("<iiddd?") for _ in range(vehicles)][0][2]
        (routes,) = self._take("<I")
        self.routes = []
        for _ in range(routes):
            self._take("<i")
            self.routes.append(self._vector("<i4").tolist())

    def _take(self, layout):
        values = struct.unpack_from(layout, self._data, self._at)
        self._at += struct.calcsize(layout)
        return values

    def _vector(self, kind, width=1):
        (count,) = self._take("<I")
        values = np.frombuffer(self._data, kind, count * width, self._at)
        self._at += values.nbytes
        return values


def read_set(path):
    data = path.read_bytes()
    (count,) = struct.unpack_from("<Q", data, len(data) - 16)
    offsets = struct.unpack_from(f"<{count + 1}Q", data, len(data) - 16 - 8 * (count + 1))
    return [Record(data[begin:end]) for begin, end in zip(offsets, offsets[1:], strict=False)]


class Instance:
    """A sample with nodes in the network's order: by angle around the depot, starting after the widest gap."""

    def __init__(self, record):
        at = record.positions - record.positions[0]
        angle = np.arctan2(at[1:, 1], at[1:, 0])
        order = np.lexsort((np.hypot(at[1:, 0], at[1:, 1]), angle))
        gaps = np.diff(angle[order], prepend=angle[order[-1]] - 2 * math.pi)
        order = np.concatenate(([0], np.roll(order, -int(gaps.argmax())) + 1))
        position = np.empty_like(order)
        position[order] = np.arange(len(order))
        self.positions = record.positions[order]
        self.demands = record.demands[order]
        self.capacity = record.capacity
        self.cost = record.cost
        low, high = self.positions.min(0), self.positions.max(0)
        self.side = max(high - low) or 1
        self.features = np.zeros((len(order), 7), np.float32)  # x, y, demand, window (2), service, is_depot
        self.features[:, :2] = (self.positions - low) / self.side
        self.features[:, 2] = self.demands / self.capacity
        self.features[:, 4] = 1
        self.features[0, 6] = 1
        routes = []
        for route in record.routes:
            nodes = position[route].tolist()
            routes.append(nodes if nodes[0] < nodes[-1] else nodes[::-1])
        self.choices = [node for route in sorted(routes) for node in (0, *route)][1:]


class State:
    """Partial tours of a batch, and the network's observations of them."""

    def __init__(self, instances):
        self.demands = torch.tensor(np.stack([i.demands for i in instances]))
        self.capacity = torch.tensor([i.capacity for i in instances], dtype=torch.float64)
        self.positions = torch.tensor(np.stack([i.positions for i in instances]))
        side = torch.tensor([i.side for i in instances]).view(-1, 1, 1)
        self.distances = (torch.cdist(self.positions, self.positions) / side).float()
        count, nodes = self.demands.shape
        self.rows = torch.arange(count)
        self.visited = torch.zeros(count, nodes, dtype=torch.bool)
        self.load = torch.zeros(count, dtype=torch.float64)
        self.current = torch.zeros(count, dtype=torch.long)

    def done(self):
        return self.visited[:, 1:].all(1)

    def observe(self):
        """Returns the forbidden nodes [B, N], the observations of each node [B, N, 5] and the context [B, 3]."""
        forbidden = self.visited | (self.load.unsqueeze(1) + self.demands > self.capacity.unsqueeze(1))
        forbidden[:, 0] = (self.current == 0) & ~self.done()
        none = torch.zeros_like(self.distances[:, 0])
        seen = torch.stack((self.visited.float(), self.distances[self.rows, self.current], self.distances[:, 0], none, none),
                           2)
        left = (~self.visited[:, 1:]).float().mean(1)
        context = torch.stack(((1 - self.load / self.capacity).float(), torch.zeros_like(left), left), 1)
        return forbidden, seen, context

    def visit(self, node):
        """Moves each tour to its `node` [B]. Finished tours stay at the depot."""
        node = torch.where(self.done(), 0, node)
        self.load = torch.where(node == 0, 0, self.load + self.demands[self.rows, node])
        self.visited[self.rows, node] |= node != 0
        self.current = node


class Batch:
    """Instances with the decoder's observations at each step of their labels."""

    def __init__(self, instances):
        self.features = torch.tensor(np.stack([i.features for i in instances]))
        longest = max(len(i.choices) for i in instances)
        choices = [i.choices + [0] * (longest - len(i.choices)) for i in instances]
        self.choices = torch.tensor(choices)
        self.real = torch.arange(longest) < torch.tensor([[len(i.choices)] for i in instances])
        state = State(instances)
        steps = []
        for t in range(longest):
            steps.append((state.current, *state.observe()))
            state.visit(self.choices[:, t])
        self.current, self.forbidden, self.seen, self.context = (torch.stack(part, 1) for part in zip(*steps))


class PointerNetwork(nn.Module):
    def __init__(self, hidden, layers, dropout, clip):
        super().__init__()
        self.hidden, self.layers, self.clip = hidden, layers, clip
        self.embed = nn.Linear(7, hidden)
        self.encoder = nn.LSTM(hidden, hidden, layers, dropout=dropout, batch_first=True)
        self.decoder = nn.LSTM(hidden, hidden, layers, dropout=dropout, batch_first=True)
        self.start = nn.Linear(hidden, 2 * layers * hidden)
        self.context = nn.Linear(3, hidden, bias=False)
        for name in ("query", "key", "value", "out", "pointer_query", "pointer_key"):
            setattr(self, name, nn.Linear(hidden, hidden, bias=False))
        self.glimpse_dynamic = nn.Linear(5, HEADS, bias=False)
        self.pointer_dynamic = nn.Linear(hidden, 5)

    def encode(self, features):
        embedded = self.embed(features)
        nodes = embedded + self.encoder(embedded)[0]
        start = self.start(nodes.mean(1)).view(len(nodes), 2, self.layers, self.hidden).permute(1, 2, 0, 3)
        return nodes, (start[0].tanh().contiguous(), start[1].contiguous())

    def decode(self, nodes, state, observation):
        """Returns logits [B, T, N] and the next state.

        `observation` is (current, forbidden, seen, context), each [B, T, ...]."""
        current, forbidden, seen, context = observation
        count, steps = current.shape
        read = nodes.gather(1, current.unsqueeze(2).expand(-1, -1, self.hidden)) + self.context(context)
        outputs, state = self.decoder(read, state)

        def by_head(values):
            return values.view(count, -1, HEADS, self.hidden // HEADS).transpose(1, 2)

        scores = by_head(self.query(outputs)) @ by_head(self.key(nodes)).transpose(2, 3)
        scores = scores / math.sqrt(self.hidden / HEADS) + self.glimpse_dynamic(seen).permute(0, 3, 1, 2)
        weights = scores.masked_fill(forbidden.unsqueeze(1), -math.inf).softmax(-1)
        glimpse = (weights @ by_head(self.value(nodes))).transpose(1, 2).reshape(count, steps, self.hidden)
        query = outputs + self.out(glimpse)
        content = self.pointer_query(query) @ self.pointer_key(nodes).transpose(1, 2) / math.sqrt(self.hidden)
        content = content + (seen @ self.pointer_dynamic(query).unsqueeze(3)).squeeze(3)
        return (content.tanh() * self.clip).masked_fill(forbidden, -math.inf), state

    def forward(self, batch):
        nodes, state = self.encode(batch.features)
        return self.decode(nodes, state, (batch.current, batch.forbidden, batch.seen, batch.context))[0]


def greedy_costs(network, instances):
    features = torch.tensor(np.stack([i.features for i in instances]))
    nodes, hidden = network.encode(features)
    state = State(instances)
    cost = torch.zeros(len(instances), dtype=torch.float64)
    while not state.done().all():
        observation = (state.current, *state.observe())
        logits, hidden = network.decode(nodes, hidden, tuple(part.unsqueeze(1) for part in observation))
        before = state.current
        state.visit(logits[:, 0].argmax(-1))
        cost += (state.positions[state.rows, before] - state.positions[state.rows, state.current]).norm(dim=-1)
    cost += (state.positions[state.rows, state.current] - state.positions[:, 0]).norm(dim=-1)
    return cost


def train_torch(arguments, sets, seed):
    torch.manual_seed(seed)
    torch.set_num_threads(arguments.torch_threads or arguments.threads)
    train, held_out = ([Instance(record) for record in records] for records in sets)
    check = Batch(held_out)
    references = torch.tensor([i.cost for i in held_out], dtype=torch.float64)
    network = PointerNetwork(arguments.hidden, 2, 0.2, 10)
    adam = torch.optim.Adam(network.parameters(), lr=1e-3)
    for epoch in range(1, arguments.epochs + 1):
        order = torch.randperm(len(train)).tolist()
        # Builds the batches outside the measured time.
        batches = [Batch([train[i] for i in order[at:at + 64]]) for at in range(0, len(order), 64)]
        begin = time.monotonic()
        for batch in batches:
            losses = nn.functional.cross_entropy(network(batch)[batch.real], batch.choices[batch.real])
            adam.zero_grad()
            losses.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1)
            adam.step()
        seconds = time.monotonic() - begin
        network.eval()
        with torch.no_grad():
            accuracy = (network(check).argmax(-1) == check.choices)[check.real].float().mean().item()
            costs = greedy_costs(network, held_out)
        network.train()
        yield {"epoch": epoch, "accuracy": 100 * accuracy, "cost": costs.mean().item(),
               "gap_percent": 100 * (costs / references - 1).mean().item(), "seconds": seconds}


def train_ours(arguments, folder, seed):
    """Trains our network and yields a record per epoch. Leaves the label sets in `folder`."""
    settings = [f"problem.customers={arguments.customers}", f"network.hidden={arguments.hidden}",
                f"training.epochs={arguments.epochs}", f"training.seed={seed}",
                f"training.amp={str(arguments.amp).lower()}", f"supervised.samples={arguments.samples}",
                "supervised.teacher_forcing_end=1",
                f"validation.instances={arguments.held_out}"]
    config = ROOT / "configs" / "ptrnet_supervised.yaml"
    done = subprocess.run([arguments.program, config, folder, str(arguments.threads), *settings], text=True,
                          capture_output=True, check=True)
    seconds = {}
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            fields = json.loads(line)
            seconds[fields.get("epoch")] = fields.get("seconds")
    for epoch, cost, gap, accuracy in EPOCH.findall(done.stdout + done.stderr):
        yield {"epoch": int(epoch), "accuracy": float(accuracy), "cost": float(cost), "gap_percent": float(gap),
               "seconds": seconds[int(epoch)]}


def compare(last_epochs, choices):
    """Returns the difference of the last epochs, ours minus torch's, with two standard errors."""
    line = {"what": "ptrnet_reference_difference"}
    for key in ("accuracy", "gap_percent"):
        sides = [[last[key] for last in last_epochs[side]] for side in ("ours", "torch")]
        variance = sum(statistics.variance(side) / len(side) for side in sides if len(side) > 1)
        if key == "accuracy":  # adds the sampling error of the held-out steps, in per cent
            share = statistics.fmean(sides[0] + sides[1]) / 100
            variance += 2 * 1e4 * share * (1 - share) / choices
        difference = statistics.fmean(sides[0]) - statistics.fmean(sides[1])
        line |= {key: round(difference, 3), f"{key}_two_standard_errors": round(2 * math.sqrt(variance), 3)}
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "dev" / "bench" / "train_bench")
    parser.add_argument("--samples", type=int, default=10000)
    parser.add_argument("--held-out", type=int, default=1000, help="validate on this many instances (not --samples)")
    parser.add_argument("--customers", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--torch-threads", type=int, help="give torch this many threads; default: --threads")
    parser.add_argument("--amp", action="store_true", help="use bf16 in our trainer if the CPU has it; torch uses float32")
    arguments = parser.parse_args()
    last_epochs = {"ours": [], "torch": []}
    choices = 0
    for seed in range(1, arguments.seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            runs = {"ours": list(train_ours(arguments, folder, seed))}
            found = {len(records): records for records in map(read_set, pathlib.Path(folder).rglob("*.set"))}
            sets = found[arguments.samples], found[arguments.held_out]
            choices = sum(len(Instance(record).choices) for record in sets[1])
            runs["torch"] = train_torch(arguments, sets, seed)
            for side, epochs in runs.items():
                for line in epochs:
                    about = {"what": "ptrnet_reference", "side": side, "seed": seed}
                    rounded = {key: round(value, 4) for key, value in line.items()}
                    print(json.dumps(about | rounded | {"load1": os.getloadavg()[0]}), flush=True)
                last_epochs[side].append(line)
    print(json.dumps(compare(last_epochs, choices)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
