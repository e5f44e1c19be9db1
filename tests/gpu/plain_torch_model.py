"""rl4co's attention model of the CVRP in plain torch (Kool et al. 2019; POMO: Kwon et al. 2020).

Uses rl4co's operators and names of the weights, so that models/import_weights.py converts them. The encoder's
attention and the decoder's glimpse use torch's fused attention; the rollout takes one step at a time.
Shapes: B instances, P trajectories of each, N nodes with the depot first.
"""

import dataclasses
import math

import torch
from torch import nn
from torch.nn import functional

HIDDEN, HEADS, FEED_FORWARD, CLIP = 128, 8, 512, 10.0
CAPACITIES = {10: 20, 20: 30, 50: 40, 100: 50}  # Kool et al. 2019, appendix C


class Residual(nn.Module):
    """A residual connection: x + module(x)."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return x + self.module(x)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.Wqkv = nn.Linear(HIDDEN, 3 * HIDDEN)
        self.out_proj = nn.Linear(HIDDEN, HIDDEN)

    def forward(self, x):
        query, key, value = (split_heads(part) for part in self.Wqkv(x).chunk(3, -1))
        return self.out_proj(join_heads(functional.scaled_dot_product_attention(query, key, value)))


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.lins = nn.ModuleList([nn.Linear(HIDDEN, FEED_FORWARD), nn.Linear(FEED_FORWARD, HIDDEN)])

    def forward(self, x):
        return self.lins[1](functional.relu(self.lins[0](x)))


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.normalizer = nn.InstanceNorm1d(HIDDEN, affine=True)

    def forward(self, x):
        return self.normalizer(x.permute(0, 2, 1)).permute(0, 2, 1)


class Encoder(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.init_embedding = nn.ModuleDict({"init_embed": nn.Linear(3, HIDDEN), "init_embed_depot": nn.Linear(2, HIDDEN)})
        self.net = nn.ModuleDict({"layers": nn.Sequential(*(
            nn.Sequential(Residual(Attention()), Norm(), Residual(FeedForward()), Norm()) for _ in range(layers)))})

    def forward(self, data):
        customers = torch.cat((data.positions[:, 1:], data.shares[:, 1:, None]), -1)
        embedded = torch.cat((self.init_embedding["init_embed_depot"](data.positions[:, :1]),
                              self.init_embedding["init_embed"](customers)), 1)
        return self.net["layers"](embedded)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.context_embedding = nn.ModuleDict({"project_context": nn.Linear(HIDDEN + 1, HIDDEN, bias=False)})
        self.project_node_embeddings = nn.Linear(HIDDEN, 3 * HIDDEN, bias=False)
        self.project_fixed_context = nn.Linear(HIDDEN, HIDDEN, bias=False)
        self.pointer = nn.ModuleDict({"project_out": nn.Linear(HIDDEN, HIDDEN, bias=False)})


def split_heads(x):
    """Reshapes [B, L, H] to [B, heads, L, H / heads]."""
    return x.unflatten(-1, (HEADS, -1)).transpose(1, 2)


def join_heads(x):
    return x.transpose(1, 2).flatten(2)


@dataclasses.dataclass
class Instances:
    positions: torch.Tensor  # [B, N, 2], the depot first
    shares: torch.Tensor     # [B, N], demands as shares of the capacity, 0 for the depot


def draw_instances(customers, count, device):
    shares = torch.randint(1, 10, (count, customers), device=device) / CAPACITIES[customers]
    return Instances(torch.rand(count, customers + 1, 2, device=device), functional.pad(shares, (1, 0)))


@dataclasses.dataclass
class Tours:
    costs: torch.Tensor            # [B, P]
    log_likelihoods: torch.Tensor  # [B, P]
    steps: int


class AttentionModel(nn.Module):
    """The attention model.

    With several starts, it rolls out trajectories from distinct starts, like POMO, and leaves out the nodes' mean.
    """

    def __init__(self, layers, starts):
        super().__init__()
        self.encoder, self.decoder = Encoder(layers), Decoder()
        self._starts = starts

    def forward(self, data, sample):
        nodes = self.encoder(data)
        keys = self.decoder.project_node_embeddings(nodes).chunk(3, -1)
        graph = self.decoder.project_fixed_context(nodes.mean(1, keepdim=True)) if self._starts == 1 else 0
        count, size = data.shares.shape
        state = State(data, self._starts)
        actions, log_likelihoods = [], []
        if self._starts > 1:  # one from each customer; not the network's choices
            first = (torch.arange(self._starts, device=nodes.device) % (size - 1) + 1).expand(count, -1)
            state.visit(first)
            actions.append(first)
        while not state.done():
            logs = self._step(nodes, keys, graph, state)
            if sample:
                chosen = torch.multinomial(logs.detach().exp().flatten(0, 1), 1).view(count, self._starts)
            else:
                chosen = logs.argmax(-1)
            log_likelihoods.append(logs.gather(-1, chosen[..., None])[..., 0])
            state.visit(chosen)
            actions.append(chosen)
        return Tours(costs_of(data.positions, torch.stack(actions, -1)), torch.stack(log_likelihoods, -1).sum(-1),
                     len(actions))

    def _step(self, nodes, keys, graph, state):
        """Returns log-probabilities [B, P, N] of the next node."""
        allowed = state.allowed()
        current = nodes.gather(1, state.current[..., None].expand(-1, -1, HIDDEN))
        context = torch.cat((current, (1 - state.used)[..., None].to(current.dtype)), -1)
        query = self.decoder.context_embedding["project_context"](context) + graph
        glimpse = functional.scaled_dot_product_attention(split_heads(query), split_heads(keys[0]), split_heads(keys[1]),
                                                          attn_mask=allowed[:, None])
        glimpse = self.decoder.pointer["project_out"](join_heads(glimpse))
        logits = CLIP * torch.tanh(glimpse @ keys[2].transpose(1, 2) / math.sqrt(HIDDEN))
        return logits.float().masked_fill(~allowed, -math.inf).log_softmax(-1)


class State:
    """Positions, loads and served customers of P trajectories per instance."""

    def __init__(self, data, starts):
        count, size = data.shares.shape
        self._shares = data.shares[:, None].expand(-1, starts, -1)
        self._visited = torch.zeros(count, starts, size, dtype=torch.bool, device=data.shares.device)
        self.used = torch.zeros(count, starts, device=data.shares.device)
        self.current = torch.zeros(count, starts, dtype=torch.long, device=data.shares.device)

    def allowed(self):
        customers = ~self._visited & (self._shares + self.used[..., None] <= 1 + 1e-5)
        customers[..., 0] = (self.current != 0) | ~customers[..., 1:].any(-1)
        return customers

    def visit(self, chosen):
        self.current = chosen
        share = self._shares.gather(-1, chosen[..., None])[..., 0]
        self.used = torch.where(chosen == 0, torch.zeros_like(share), self.used + share)
        self._visited = self._visited.scatter(-1, chosen[..., None], True)

    def done(self):
        return bool(self._visited[..., 1:].all())


def costs_of(positions, actions):
    """Returns the lengths [B, P] of the closed tours."""
    count, starts, steps = actions.shape
    points = positions.gather(1, actions.reshape(count, -1, 1).expand(-1, -1, 2)).view(count, starts, steps, 2)
    depot = positions[:, None, :1].expand(-1, starts, -1, -1)
    path = torch.cat((depot, points, depot), 2)
    return (path[:, :, 1:] - path[:, :, :-1]).norm(dim=-1).sum(-1)
