"""Tests the views Training, Models and Server of the web page: clicks through them in a headless Chromium while a vrpd trains."""

import contextlib
import json
import os
import tempfile
import unittest
import urllib.error
import urllib.request

from page_browser import By
from page_fixture import PageTest
from page_test import TokenTest as PageTokenTest
from daemon import DATA, TINY_TRAINING, Daemon, tiny_config

INSTANCE = DATA / "E-n22-k4.vrp"
LONG_TRAINING = TINY_TRAINING.replace("epochs: 2", "epochs: 100000")

# Changes values of the configuration, as if the user had typed them.
EDIT = """
const field = document.querySelector("[name=config]");
for (const [key, value] of Object.entries(arguments[0])) field.value = field.value.replace(new RegExp(`\\\\b${key}: \\\\d+`), `${key}: ${value}`);
"""


class ManageTest(PageTest):
    """Steps that the tests share."""

    def api(self, verb, path, message=None):
        """Calls the API as the page does. Returns the answer."""
        body = None if message is None else json.dumps(message).encode()
        request = urllib.request.Request(self.url + path, body, {"Content-Type": "application/json"}, method=verb)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def create_job(self, yaml=TINY_TRAINING, **spec):
        name = self.api("POST", "/v1/trainingJobs", {"spec": {"configYaml": yaml, "configName": "tiny.yaml", **spec}})["name"]
        self.addCleanup(self.cancel, name)
        return name

    def cancel(self, name):
        with contextlib.suppress(urllib.error.URLError):  # the job or its daemon has ended
            self.api("POST", f"/v1/{name}:cancel", {})

    def wait_for_job(self, name, state):
        self.browser.wait(lambda: self.api("GET", f"/v1/{name}")["state"] == f"JOB_STATE_{state}", f"{name} to be {state}")

    def go(self, view):
        self.browser.click(f'#views a[href="#{view}"]')

    def open_job(self, name):
        self.browser.driver.execute_script("location.hash = arguments[0]", f"#training/jobs/{name.split('/')[1]}")
        return self.browser.one(".job-title h1")

    def wait_for_state(self, state):
        self.browser.one(f'.badge[data-state="{state}"]')

    def line_of(self, curve, index=0):
        """Returns the path of a line of a chart, or "" if it is not drawn yet."""
        lines = self.browser.all(f'[data-curve="{curve}"] path.line:not(.faint)')
        return lines[index].get_attribute("d") if len(lines) > index else ""

    def agree(self):
        self.browser.click("dialog.confirm .danger")


class TrainingViewTest(ManageTest):
    def test_trains_from_a_preset_and_solves_with_the_model(self):
        browser = self.open()
        self.go("training")
        browser.click('a[href="#training/new"]')
        browser.click('[data-preset="tiny_1"]')
        self.assertIn("name: tiny-1", browser.one('[name="config"]').get_attribute("value"))
        browser.picture("new-training-light-1280")
        browser.driver.execute_script(EDIT, {"epochs": 100000, "batches_per_epoch": 5, "batch_size": 16, "instances": 50, "baseline_instances": 50})
        browser.type('[name="labels"]', "team=north")
        browser.click('[data-action="check"]')
        self.assertIn("The configuration is right", browser.text(".notice.success"))
        browser.click('[data-action="start"]')
        self.assertEqual(browser.one(".job-title h1").text, "tiny-1")
        self.wait_for_state("RUNNING")
        for curve in ("Loss", "Cost", "Learning rate", "Instances per second"):
            browser.wait(lambda name=curve: self.line_of(name), f"the curve {curve}")
        before = self.line_of("Loss")
        browser.wait(lambda: self.line_of("Loss") != before, "the curve to grow")
        browser.wait(lambda: self.line_of("Validation gap"), "a validation")
        browser.picture("running-light-1280")

        browser.click('[data-rpc="PauseTrainingJob"]')
        self.wait_for_state("PAUSED")
        self.assertIn("continues when you resume it", browser.text(".job-note"))
        browser.click('[data-rpc="ResumeTrainingJob"]')
        self.wait_for_state("RUNNING")
        step = int(self.figure("step").split()[0].replace(",", ""))
        browser.wait(lambda: int(self.figure("step").split()[0].replace(",", "")) > step, "further steps")
        browser.click('[data-rpc="PublishTrainingJob"]')
        browser.wait(lambda: "Published tiny-1, version 1" in browser.text(".notice.success"), "the publication")
        browser.click('[data-rpc="StopTrainingJob"]')
        self.wait_for_state("SUCCEEDED")
        self.assertIn("Ended since it was stopped. Published tiny-1, version 2", browser.text(".job-note"))
        self.assertIn("published tiny-1, version 1 after step", browser.text(".event-list"))

        browser.click('.job-note a')
        self.assertEqual(len(browser.wait(lambda: browser.all("[data-version]"), "the versions")), 2)
        browser.picture("model-light-1280")
        browser.click('[data-version="2"] [data-action="solve"]')
        browser.wait(lambda: "tiny-1, version 2" in browser.text(".notice.info"), "the note on the model")
        browser.click('[data-sample="E-n22-k4.vrp"]')
        browser.wait(lambda: browser.one('[name="model"]').get_attribute("value") == "models/tiny-1/versions/2", "the chosen model")
        self.assertEqual(browser.one('[name="strategy"]').get_attribute("value"), "STRATEGY_SEEDED")
        self.solve("2")
        self.assertEqual(self.figure("unserved"), "0")
        self.assert_no_complaints()

    def test_compares_training_jobs(self):
        names = [self.create_job(), self.create_job(TINY_TRAINING.replace("batch_size: 8", "batch_size: 16"))]
        browser = self.open()
        for name in names:
            self.wait_for_job(name, "SUCCEEDED")
        self.go("training")
        for name in names:
            browser.click(f'[data-job="{name}"] input')
        browser.click('[data-action="compare"]')
        browser.wait(lambda: self.line_of("Loss", 1), "both curves")
        rows = {row.find_element(By.TAG_NAME, "th").text: [cell.text for cell in row.find_elements(By.TAG_NAME, "td")]
                for row in browser.all(".compare-table tbody tr")}
        self.assertEqual(rows["training.batch_size"], ["8", "16"])
        self.assertNotIn("training.epochs", rows)
        browser.picture("compare-light-1280")
        before = self.line_of("Loss")
        browser.click('[name="axis"] option[value="seconds"]')
        browser.wait(lambda: self.line_of("Loss", 1) and self.line_of("Loss") != before, "the curves over time")
        self.assert_no_complaints()

    def test_shows_errors_of_a_configuration_at_their_lines(self):
        browser = self.open()
        browser.driver.execute_script("location.hash = '#training/new'")
        browser.wait(lambda: browser.one('[name="config"]').get_attribute("value"), "the preset")
        browser.type('[name="config"]', "name: a\nmodel: ptrnet\ntraining:\n  epochs: -3\n")
        browser.click('[data-action="start"]')
        self.assertIn('training.epochs: got "-3"', browser.text(".config-errors"))
        browser.button("Line 4").click()
        selected = browser.driver.execute_script("const f = document.querySelector('[name=config]'); return f.value.slice(f.selectionStart, f.selectionEnd)")
        self.assertEqual(selected, "  epochs: -3")
        # Chromium itself reports the refused call.
        self.assertTrue(all("400" in message for message in browser.console()))

    def test_cancels_and_deletes_a_job_after_asking(self):
        name = self.create_job(LONG_TRAINING)
        browser = self.open()
        self.open_job(name)
        browser.click('[data-rpc="CancelTrainingJob"]')
        browser.button("Go back").click()
        browser.wait(lambda: not browser.all("dialog.confirm"), "the closed question")
        browser.click('[data-rpc="CancelTrainingJob"]')
        self.agree()
        self.wait_for_state("CANCELLED")
        browser.click('[data-rpc="DeleteTrainingJob"]')
        self.agree()
        browser.wait(lambda: browser.driver.current_url.endswith("#training"), "the list")
        self.go("training")
        browser.wait(lambda: not browser.all(f'[data-job="{name}"]'), "the list without the job")
        self.assert_no_complaints()

    def test_lists_hundreds_of_jobs_and_filters_them(self):
        self.create_job(LONG_TRAINING)
        names = [self.create_job(labels={"run": str(index)}) for index in range(120)]
        browser = self.open()
        self.go("training")
        browser.wait(lambda: len(browser.all("[data-job]")) == 50, "the first page")
        browser.button("Show older").click()
        browser.wait(lambda: len(browser.all("[data-job]")) > 120, "all jobs")
        browser.type('[name="filter"]', "run=117")
        browser.wait(lambda: len(browser.all("[data-job]")) == 1, "the job of that label")
        browser.one(f'[data-job="{names[117]}"]')
        self.assert_no_complaints()

    def test_reads_values_of_curves_by_keyboard(self):
        name = self.create_job()
        browser = self.open()
        self.wait_for_job(name, "SUCCEEDED")
        self.go("training")
        browser.one(f'[data-job="{name}"] a').send_keys("\n")
        browser.wait(lambda: self.line_of("Cost"), "the curve")
        browser.one('[data-curve="Cost"] svg').send_keys("\ue014")  # the right arrow
        self.assertIn("validation:", browser.text('[data-curve="Cost"] .chart-tip'))
        self.assert_no_complaints()


class RestartTest(ManageTest):
    def test_follows_a_job_over_a_restart_of_the_server(self):
        name = self.create_job(LONG_TRAINING)
        browser = self.open()
        self.open_job(name)
        self.wait_for_state("RUNNING")
        browser.wait(lambda: self.line_of("Loss"), "the curve")
        self.daemon.kill()
        browser.wait(lambda: "connection lost" in browser.one(".job-title").text, "the note on the connection")
        again = Daemon(state=self.daemon.state, flags=["--http-listen", self.url.split("//")[1].strip("/")])
        self.addCleanup(again.clean_up)
        browser.wait(lambda: "continues from step" in browser.text(".event-list"), "the resumed job")
        browser.wait(lambda: "connection lost" not in browser.one(".job-title").text, "the connection")
        self.api("POST", f"/v1/{name}:cancel", {})
        self.wait_for_state("CANCELLED")


class ModelsViewTest(ManageTest):
    def test_names_loads_and_deletes_versions(self):
        browser = self.open()
        for _ in range(2):
            self.wait_for_job(self.create_job(), "SUCCEEDED")
        self.go("models")
        browser.click('[data-model="tiny"] .model-buttons a')
        browser.type('[name="alias"]', "9lives")
        browser.click('[data-action="set-alias"]')
        self.assertIn("beginning with a letter", browser.text(".field-error"))
        browser.type('[name="alias"]', "production")
        browser.click('[name="alias-version"] option[value="1"]')
        browser.click('[data-action="set-alias"]')
        self.assertIn("names version 1", browser.text('[data-alias="production"]'))
        self.assertEqual(self.api("GET", "/v1/models/tiny/aliases/production")["name"], "models/tiny/versions/1")
        self.assertIn("loaded", browser.text('[data-version="1"]'))  # setting an alias loads the version
        browser.click('[data-version="1"] [data-action="unload"]')
        browser.click('[data-version="1"] [data-action="load"]')
        browser.one('[data-version="1"] [data-action="unload"]')
        browser.picture("aliases-light-1280")
        browser.click('[data-version="1"] [data-action="delete"]')
        self.agree()
        self.assertIn("alias", browser.text(".notice.error"))  # refused, since an alias names it
        browser.click('[data-alias="production"] [data-action="delete-alias"]')
        browser.wait(lambda: not browser.all('[data-alias="production"]'), "the removed alias")
        browser.click('[data-version="1"] [data-action="delete"]')
        self.agree()
        browser.wait(lambda: not browser.all('[data-version="1"]'), "the deleted version")
        self.assertTrue(all("400" in message for message in browser.console()))

    def test_shows_the_quality_of_shipped_models(self):
        browser = self.open()
        self.go("models")
        browser.click('[data-model="gt-mixed"] h2 a')
        self.assertIn("multi_start 8", browser.text(".quality"))
        self.assertRegex(browser.text(".quality"), r"\d\.\d\d %")
        self.assert_no_complaints()


class ServerViewTest(ManageTest):
    FLAGS = ("--max-nodes", "500")

    def test_shows_what_the_server_does(self):
        browser = self.open()
        name = self.create_job(LONG_TRAINING)
        self.go("server")
        browser.one('[data-ready]')
        # Training yields to other processes, so that a loaded machine may show 0 busy cores.
        browser.wait(lambda: "–" not in (self.figure("requests").split()[0], self.figure("cores").split()[0]),
                     "the figures of an interval")
        browser.wait(lambda: self.line_of("Busy cores"), "the chart")
        self.assertEqual({row.get_attribute("data-queue") for row in browser.all("[data-queue]")}, {"solve", "quick", "batch", "network"})
        browser.one('[data-rpc="vrp.v1.SystemService/GetServerInfo"]')
        browser.click(".active-job a")
        self.wait_for_state("RUNNING")
        self.api("POST", f"/v1/{name}:cancel", {})
        self.go("server")
        settings = {cells[0].text: cells[1].text for row in browser.wait(lambda: browser.all(".settings-changed tbody tr"), "the settings")
                    for cells in [row.find_elements(By.TAG_NAME, "td")]}
        self.assertEqual(settings["max_nodes"], "500")
        self.assertIn("state_dir", settings)
        self.assertNotIn("max_budget_s", settings)
        self.assert_no_complaints()

    def test_stops_and_deletes_solve_jobs(self):
        name = self.daemon.json("solve", INSTANCE, "--job", "--detach", "--budget", "600s")[0]["name"]
        browser = self.open()
        self.go("server")
        row = f'[data-solve-job="{name.split("/")[1]}"]'
        browser.wait(lambda: "running" in browser.text(f"{row} .badge"), "the running job")
        browser.wait(lambda: "375" in browser.text(row), "the plan")
        browser.picture("server-light-1280")
        browser.click(f'{row} [data-action="stop"]')
        browser.wait(lambda: "succeeded" in browser.text(f"{row} .badge"), "the stopped job")
        browser.click(f'{row} [data-action="delete"]')
        self.agree()
        browser.wait(lambda: not browser.all(row), "the deleted job")
        self.assert_no_complaints()


class ScreensTest(ManageTest):
    def test_fits_small_and_dark_screens(self):
        with tempfile.TemporaryDirectory() as folder:
            name = self.daemon.json("train", "--config", tiny_config(folder), "--detach")[0]["name"]
        screens = {"training": "[data-job]", f"training/jobs/{name.split('/')[1]}": '[data-curve="Cost"] path.line', "training/new": ".preset",
                   "models": "[data-model]", "models/gt-mixed": ".quality", "server": '[data-queue]'}
        for width, dark in ((390, False), (390, True), (1280, True)):
            browser = self.open(width=width, height=844, dark=dark)
            self.wait_for_job(name, "SUCCEEDED")
            for screen, content in screens.items():
                browser.driver.execute_script("location.hash = arguments[0]", f"#{screen}")
                browser.one(content)
                browser.picture(f"{screen.replace(name.split('/')[1], 'job').replace('/', '-')}-{'dark' if dark else 'light'}-{width}")
                self.assertLessEqual(browser.scroll_width(), width, screen)
            self.assert_no_complaints()


class ReaderTest(ManageTest):
    flags = PageTokenTest.__dict__["flags"]
    give = PageTokenTest.give

    def test_shows_readers_everything_and_no_actions(self):
        browser = self.open()
        self.give(self.tokens["read"])
        for view, content in (("training", ".empty"), ("models", "[data-model]"), ("server", "[data-queue]")):
            self.go(view)
            browser.one(content)
            browser.wait(lambda: "look" in browser.text(".notice.static"), "the note on the token")
            self.assertEqual([element.text for element in browser.all(".acts, .danger") if element.is_displayed()], [])
        self.go("models")
        browser.click('[data-model="gt-mixed"] h2 a')
        browser.one(".quality")
        self.assertEqual([element.text for element in browser.all(".acts") if element.is_displayed()], [])
        browser.picture("reader-models-light-1280")

    def test_lets_the_role_solve_stop_solve_jobs_but_not_train(self):
        browser = self.open()
        self.give(self.tokens["solve"])
        browser.wait(lambda: browser.text("#session").startswith("Version"), "the session")
        self.go("training")
        self.assertIn("role train", browser.text(".notice.static"))
        self.go("server")
        browser.one("[data-queue]")
        self.assertEqual([note.text for note in browser.all(".notice.static") if note.is_displayed()], [])


del PageTokenTest  # its tests belong to page_test.py

if __name__ == "__main__":
    os.environ.pop("VRP_TOKEN", None)
    unittest.main(verbosity=2)
