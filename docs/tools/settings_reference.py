"""Builds the reference of the training settings.

Keys and defaults come from `vrpctl train --print-config`, permitted values from the daemon's errors for wrong
values, and meanings from the comments of configs/*.yaml."""

import json
import pathlib
import re
import tempfile

from programs import ROOT, Daemon, output

HEAD = """\
<!-- Written by docs/tools/write_reference.py from the daemon's own answers and configs/*.yaml. -->

# Training settings

A configuration is a YAML file of two levels. `vrpctl train --preset tiny_1 --print-config` prints a complete one, and
`--set section.key=value` overrides a key. A key that is unknown, has a wrong value, or would have no effect is an error that names it.

Defaults are those of a graph transformer trained by REINFORCE, or of the setting without which the key has no effect.

`model: dispatch` reads the sections `dispatch`, `training` and `validation`, except for what only networks that plan routes have. Its
defaults are the values of `vrpctl train --preset dispatch --print-config`.

`model: estimate` reads the section `estimate`, what dispatch models read of `training`, and `validation.instances` and `validation.seed`. Its
defaults are the values of `vrpctl train --preset estimate --print-config`.

`model: habits` reads only the section `habits`, `training.epochs`, `training.seed` and `validation.days`; see
`vrpctl train --preset habits --print-config`. With `habits.learner: transformer` it reads the settings of
`vrpctl train --preset habits_transformer --print-config`, whose values are its defaults.
"""

# Minimal configurations that together read every key.
VARIANTS = (
    ("gt", []),
    ("ptrnet", []),
    ("gt", ["problem.instances=datasets/x", "training.schedule=linear", "training.amp=true"]),
    ("gt", ["training.schedule=step", "training.milestones=[1]", "training.learning_rate_decay=0.5"]),
    ("gt", ["reinforce.baseline=pomo"]),
    ("gt", ["reinforce.baseline=samples"]),
    ("gt", ["training.method=self_labelling"]),
    ("ptrnet", ["training.method=supervised", "loader.pin=true", "validation.reference=search"]),
    ("gt", ["training.method=supervised", "supervised.labels=file", "supervised.label_file=datasets/x",
            "validation.reference=file", "validation.file=datasets/x"]),
    ("dispatch", ["dispatch.sites=datasets/x", "dispatch.scenarios=1"]),
    ("dispatch", ["dispatch.sites=datasets/x"]),
    ("dispatch", ["dispatch.sites=datasets/x", "dispatch.encoder=graph_transformer"]),
    ("dispatch", ["dispatch.sites=datasets/x", "dispatch.log=datasets/y"]),
    ("estimate", []),
    ("habits", ["habits.history=datasets/x"]),
    ("habits", ["habits.history=datasets/x", "habits.learner=transformer"]),
)
SOURCES = ("tiny_1", "ptrnet_supervised", "gt_mixed", "gt_pomo_cvrp50", "dispatch", "estimate", "habits", "habits_transformer")
NEEDED = {"problem.instances": "none", "supervised.label_file": "none", "validation.file": "none",
          "training.milestones": "none", "name": "required", "dispatch.sites": "required with model: dispatch",
          "dispatch.scenarios": "0", "dispatch.log": "none", "habits.history": "required with model: habits"}
# Meanings of the keys that no example configuration explains.
MEANINGS = {
    "model": "gt: a graph transformer; ptrnet: a pointer network; dispatch: prizes of requests, to decide what to send now; "
             "habits: where drivers go next; estimate: what plans would cost",
    "dispatch.sites": "an instance each, from which days are drawn: files on the daemon's machine, or datasets/NAME",
    "habits.learner": "counts: counts legs from stop to stop and from zone to zone; transformer: a network that also foretells stops "
                      "that it has never seen",
    "habits.zones": "clusters of stops; 0: none; default of the transformer: 32",
    "validation.days": "with dispatch: simulated days; with dispatch.log or habits.history: its last days",
    "schema_version": "version of the keys; a newer one is refused",
    "problem.backhauls": "probability of an instance to have backhauls",
    "problem.distance_limit": "probability of an instance to limit the length of routes",
    "problem.open_routes": "probability of an instance to have open routes",
    "supervised.teacher_forcing_start": "probability in the first epoch that the decoder reads the label's last node, not its own",
    "supervised.teacher_forcing_end": "the same in the last epoch; linear between",
    "training.tf32": "on a GPU: products with 10 bits of mantissa",
    "validation.instances": "number of instances, solved greedily after each epoch",
    "validation.reference_iterations": "iterations of the search for each reference",
    "training.final_learning_rate": "the rate at the last step of the schedules linear and cosine",
    "training.amp_type": "with amp: bf16, or fp16 with scaled losses",
    "training.initial_model": "weights to start from: models/NAME/versions/N, models/NAME/aliases/A, a folder with a card, or a file",
    "training.batches_per_epoch": "steps of an epoch; supervised training passes over the samples instead",
    "training.epochs": "number of epochs, each of which ends with a validation",
    "training.learning_rate": "of AdamW",
    "reinforce.samples": "trajectories of each instance, with baseline samples",
    "supervised.samples": "labelled instances",
    "self_labelling.samples": "sampled tours of each instance; the best becomes the label",
    "validation.file": "your own instances instead of generated ones: a file on the daemon's machine, or datasets/NAME",
    "validation.reference": "of the gap: nearest_neighbour; search: plans of our search, kept on disk; file: ref_cost of `file`",
    "loader.memory_mb": "MiB for labels; a larger set is read from disk in pieces",
    "graph_transformer.layers": "layers of the encoder",
}


def resolved(address, model, overrides):
    """Returns {key: default} of a configuration with these overrides."""
    done = ask(address, model, [*overrides, "name=x"])
    return json.loads(done.stdout)


def ask(address, model, overrides):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "config.yaml"
        path.write_text(f"name: x\nmodel: {model}\n")
        words = [word for text in overrides for word in ("--set", text)]
        return output("vrpctl", "train", "--config", str(path), "--print-config", "--output", "json", *words,
                      env={"VRP_REMOTE": address})


def permitted(address, key):
    """Returns the values that the daemon accepts for the key, in the words of its error."""
    for wrong in ("?", ""):
        stderr = ask(address, "gt", [f"{key}={wrong}"]).stderr
        found = re.search(rf"{re.escape(key.split('.')[-1])}: got .*?, wanted (.*)", stderr)
        if found:
            return re.sub(r", not \"\?\"$", "", found[1])
    return "text"


def meanings():
    """Returns {key: comment} of the examples."""
    found = {}
    for name in SOURCES:
        section, key = "", None
        for line in (ROOT / "configs" / f"{name}.yaml").read_text().splitlines():
            stated = re.match(r"(?P<indent>\s*)(?:# )?(?P<key>[a-z_]+):(?P<value>[^#]*)(?:# ?(?P<comment>.*))?$", line)
            continued = re.match(r"\s{12,}# ?(?P<comment>.*)$", line)
            if continued and key:
                found[key] += " " + continued["comment"].strip()
            elif stated:
                if not stated["indent"] and not stated["value"].strip():
                    section, key = stated["key"] + ".", None
                    continue
                path = (section if stated["indent"] else "") + stated["key"]
                key = path if stated["comment"] and path not in found else None
                if key:
                    found[key] = stated["comment"].strip()
            else:
                key = None
    return {**found, **MEANINGS}


def all_keys(address):
    """Returns {key: default} of all keys."""
    keys = {}
    for model, overrides in VARIANTS:
        for key, value in resolved(address, model, overrides).items():
            keys.setdefault(key, NEEDED.get(key, value))
    return dict(sorted(keys.items()))


def cell(text):
    return text.replace("|", "\\|") or "&nbsp;"


def page():
    with Daemon() as daemon:
        keys = all_keys(daemon.address)
        explained = meanings()
        sections = {}
        for key, value in keys.items():
            sections.setdefault(key.rpartition(".")[0], []).append(
                f"| `{key.rpartition('.')[2]}` | {cell(permitted(daemon.address, key))} | "
                f"{cell(value or 'none')} | {cell(explained.get(key, ''))} |")
    parts = [HEAD]
    order = ("", "problem", "graph_transformer", "network", "dispatch", "estimate", "habits", "training", "reinforce", "self_labelling", "supervised", "loader",
             "validation")
    for section in sorted(sections, key=order.index):
        title = f"`{section}`" if section else "Top level"
        parts.append("\n".join([f"## {title}", "", "| key | value | default | meaning |", "| --- | --- | --- | --- |",
                                *sections[section], ""]))
    return "\n".join(parts)
