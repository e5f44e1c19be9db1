"""Tests backups made during a training job, and the state folders restored from them."""

import hashlib
import json
import pathlib
import subprocess
import tarfile
import tempfile
import unittest

from daemon import BINARIES, DATA, Daemon, first_gap, tiny_config

LONG = ("--set", "training.epochs=60", "--set", "training.batches_per_epoch=10",
        "--set", "training.checkpoint_every_steps=5")
RESTORE_TIMEOUT_S = 60


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


class BackupTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vrp-backup-"))
        self.daemon = Daemon(self.folder / "state")
        self.addCleanup(lambda: self.daemon.clean_up())
        self.backup = self.folder / "vrp.tar"
        self.restored = self.folder / "restored"

    def train(self, *arguments):
        return self.daemon.json("train", "--config", tiny_config(self.folder), "--detach", *arguments)[0]["name"]

    def read_until(self, job, wanted):
        return self.daemon.events_until(wanted, "jobs", "watch", job)

    def restore(self, archive=None, into=None):
        return subprocess.run([BINARIES / "vrpd", "--restore", archive or self.backup, "--state-dir", into or self.restored],
                              capture_output=True, text=True, timeout=RESTORE_TIMEOUT_S, check=False)

    def weights(self, state, version):
        return sha256(state / "models" / "tiny" / str(version) / "weights.safetensors")

    def test_resumes_a_training_job_bit_for_bit_in_the_restored_folder(self):
        job = self.train(*LONG)
        self.read_until(job, lambda event: event["type"] == "checkpoint" and event["step"] >= 20)
        backup = self.daemon.json("server", "backup", self.backup)[0]
        ended = self.read_until(job, lambda event: event.get("state") == "SUCCEEDED")
        self.assertEqual(ended[-1]["state"], "SUCCEEDED")
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(backup["sha256"], sha256(self.backup))
        self.assertEqual(backup["bytes"], self.backup.stat().st_size)
        self.assertEqual(self.backup.stat().st_mode & 0o777, 0o600)

        done = self.restore()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("jobs to continue: 1", done.stdout)
        self.daemon = Daemon(self.restored)
        again = self.read_until(job, lambda event: event.get("state") == "SUCCEEDED")
        self.assertIsNone(first_gap(again))
        resumed = [event["resumed_from_step"] for event in again if event["type"] == "resumed"]
        saved = [event["step"] for event in again if event["type"] == "checkpoint" and event["attempt"] == 1]
        self.assertEqual(len(resumed), 1)
        self.assertGreaterEqual(resumed[0], saved[-1])
        self.assertLess(resumed[0], 600, "the backup must be made during the training")
        self.assertEqual(self.weights(self.folder / "state", 1), self.weights(self.restored, 1))

    def test_restores_models_aliases_matrices_and_datasets(self):
        self.read_until(self.train(), lambda event: event.get("state") == "SUCCEEDED")
        self.daemon.json("models", "alias", "tiny@production", "1")
        matrices = self.folder / "matrices.json"
        matrices.write_text(json.dumps({"distance_matrix": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]}))
        kept = self.daemon.json("matrices", "upload", matrices)[0]["name"]
        own = self.folder / "own.jsonl"
        own.write_text(self.daemon.call("generate", "--problem", "cvrp", "--customers", "5", "--count", "3").stdout)
        self.daemon.json("datasets", "upload", own, "--name", "depot7")
        before = {what: self.daemon.json(what, "list") for what in ("jobs", "solve-jobs", "matrices", "datasets")}
        self.daemon.json("server", "backup", self.backup)
        self.daemon.kill()
        self.assertEqual(self.restore().returncode, 0)
        self.daemon = Daemon(self.restored)
        after = {what: self.daemon.json(what, "list") for what in ("jobs", "solve-jobs", "matrices", "datasets")}
        for listed in (before, after):
            for job in listed["jobs"]:
                del job["tensorboard_folder"]
            for matrix in listed["matrices"]:
                matrix["create_time"] = matrix["create_time"][:19]  # tar keeps seconds
        self.assertEqual(after, before)
        self.assertEqual(self.daemon.json("matrices", "list")[0]["name"], kept)
        self.assertEqual(after["datasets"][0]["name"], "datasets/depot7")
        job = self.train("--set", "problem.instances=datasets/depot7", "--set", "name=own")
        self.assertEqual(self.read_until(job, lambda event: event.get("state") in ("SUCCEEDED", "FAILED"))[-1]["state"], "SUCCEEDED")
        solved = self.daemon.json("solve", DATA / "E-n22-k4.vrp", "--model", "tiny@production", "--strategy", "greedy")[0]
        self.assertEqual((solved["model"], solved["version"]), ("tiny", 1))

    def test_writes_a_tar_archive_with_valid_checksums(self):
        self.read_until(self.train(), lambda event: event.get("state") == "SUCCEEDED")
        self.daemon.json("server", "backup", self.backup)
        with tarfile.open(self.backup) as archive:
            names = archive.getnames()
            sums = archive.extractfile("SHA256SUMS").read().decode()
            for line in sums.splitlines():
                digest, name = line.split("  ", 1)
                self.assertEqual(hashlib.sha256(archive.extractfile(name).read()).hexdigest(), digest, name)
        self.assertEqual((names[0], names[1], names[-1]), ("backup.json", "jobs.db", "SHA256SUMS"))
        self.assertEqual(len(sums.splitlines()), len(names) - 1)

    def test_refuses_invalid_archives_and_creates_no_folder(self):
        self.daemon.json("server", "backup", self.backup)
        archive = self.backup.read_bytes()
        cut, damaged = self.folder / "cut.tar", self.folder / "damaged.tar"
        cut.write_bytes(archive[:-2000])
        damaged.write_bytes(archive[:5000] + bytes([archive[5000] ^ 1]) + archive[5001:])
        for wrong, words in ((cut, "cut off"), (damaged, "SHA-256"), (self.folder / "none.tar", "is not a file"),
                             (self.folder / "vrp.tar.xz", "is not a file")):
            done = self.restore(wrong)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(words, done.stderr)
            self.assertFalse(self.restored.exists())
        done = self.restore(into=self.folder / "state")
        self.assertEqual(done.returncode, 1)
        self.assertIn("wanted a folder that is absent or empty", done.stderr)
        self.assertEqual(self.daemon.json("jobs", "list"), [])

    def test_leaves_no_file_if_the_backup_cannot_be_written(self):
        done = self.daemon.call("server", "backup", self.folder / "absent" / "vrp.tar")
        self.assertEqual(done.returncode, 1)
        self.daemon.kill()
        done = self.daemon.call("server", "backup", self.backup)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(list(self.folder.glob("vrp.tar*")), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
