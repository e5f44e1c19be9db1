"""Tests the files of deploy/: parts of a folder are solved as Slurm and Kubernetes start them, and manifests are valid."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import yaml
from daemon import BINARIES, CALL_TIMEOUT_S, ROOT, Daemon, tiny_config

try:
    import kubernetes_validate
except ImportError:
    kubernetes_validate = None

DEPLOY = ROOT / "deploy"
FILES = 3
INSTANCES = 4  # in each file


class SolvedPartsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-deploy-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.instances = cls.folder / "instances"
        cls.instances.mkdir()
        daemon = Daemon(cls.folder / "state")
        for seed in range(FILES):
            done = daemon.call("generate", "--problem", "cvrp", "--customers", 8, "--count", INSTANCES, "--seed", seed + 1,
                               "--out", cls.instances / f"set{seed}.jsonl")
            assert done.returncode == 0, done.stderr
        daemon.clean_up()

    def run_script(self, *command, **variables):
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=CALL_TIMEOUT_S, check=False,
                              env={**os.environ, "PATH": f"{BINARIES}:{os.environ['PATH']}", **variables})

    def answers_in(self, answers):
        """Returns the names of the instances with an answer, by part."""
        found = {}
        for path in sorted(answers.glob("part-*/set*.jsonl")):
            lines = [json.loads(line) for line in path.read_text().splitlines()]
            self.assertTrue(all(line["feasible"] for line in lines))
            found.setdefault(path.parent.name, []).extend(line["name"] for line in lines)
        return found

    def test_each_part_solves_every_so_manieth_file(self):
        answers = self.folder / "answers"
        for _ in range(2):  # the second run has nothing left to do
            for index in range(2):
                done = self.run_script(DEPLOY / "solve_shard.sh", index, 2, self.instances, answers, "--budget", "5ms")
                self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("earlier runs have answered all instances", done.stdout)
        found = self.answers_in(answers)
        self.assertEqual({part: len(names) for part, names in found.items()}, {"part-0": 2 * INSTANCES, "part-1": INSTANCES})

    def test_slurm_gives_each_task_of_an_array_a_part(self):
        answers = self.folder / "slurm"
        for task in ("5", "6"):
            done = self.run_script(DEPLOY / "slurm" / "solve_array.sh", self.instances, answers, "--budget", "5ms", DEPLOY=str(DEPLOY),
                                   SLURM_ARRAY_TASK_ID=task, SLURM_ARRAY_TASK_MIN="5", SLURM_ARRAY_TASK_COUNT="2")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(self.answers_in(answers)), ["part-0", "part-1"])

    def test_the_pods_command_solves_its_part(self):
        job = yaml.safe_load((DEPLOY / "kubernetes" / "solve-indexed-job.yaml").read_text())
        container = job["spec"]["template"]["spec"]["containers"][0]
        command = [*container["command"], *container["args"]]
        self.assertEqual(command[3], str(job["spec"]["completions"]))
        replaced = {"/scripts": str(DEPLOY), "/data/instances": str(self.instances), "/data/answers": str(self.folder / "pods"),
                    "$(JOB_COMPLETION_INDEX)": "1"}
        for short, long in replaced.items():
            command = [word.replace(short, long) for word in command]
        done = self.run_script(*command)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.answers_in(self.folder / "pods")["part-1"]), INSTANCES)

    def test_wrong_arguments_are_named(self):
        for arguments, message in ((("0", "2"), "wanted INDEX COUNT"), (("2", "2", "a", "b"), "got part 2 of 2"),
                                   (("0", "1", self.folder, "b"), "got no .jsonl file")):
            done = self.run_script(DEPLOY / "solve_shard.sh", *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)


class WorkersTest(unittest.TestCase):
    @unittest.skipIf(not (BINARIES / "vrp_worker").exists(), "skipped: vrp_worker is not built, because MPI is not installed")
    def test_workers_of_a_slurm_job_train_a_model_once(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-deploy-"))
        self.addCleanup(shutil.rmtree, folder)
        for _ in range(2):  # the second run finds the training of the first
            done = subprocess.run([DEPLOY / "slurm" / "train_workers.sh", tiny_config(folder), folder / "state"], capture_output=True,
                                  text=True, timeout=CALL_TIMEOUT_S, check=False,
                                  env={**os.environ, "PATH": f"{BINARIES}:{os.environ['PATH']}", "SLURM_NTASKS": "2", "SLURM_JOB_ID": "7",
                                       "WORKER_LAUNCHER": "mpirun -n {workers} --oversubscribe --bind-to none"})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("workers: 2 processes", done.stdout)
        self.assertEqual([path.name for path in (folder / "state" / "models" / "tiny").iterdir() if path.is_dir()], ["1"])


class ManifestsTest(unittest.TestCase):
    @unittest.skipIf(kubernetes_validate is None, "skipped: kubernetes-validate is not installed")
    def test_core_objects_follow_the_schema_of_kubernetes(self):
        checked = 0
        for path in sorted((DEPLOY / "kubernetes").glob("*.yaml")):
            for manifest in yaml.safe_load_all(path.read_text()):
                if manifest["apiVersion"] not in ("v1", "batch/v1", "apps/v1"):
                    continue
                kubernetes_validate.validate(manifest, "1.33", strict=True)
                checked += 1
        self.assertGreater(checked, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
