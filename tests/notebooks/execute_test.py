"""The committed notebooks, executed by Debian's nbclient through our kernel: their outputs are those
that `tandem notebook run` wrote, and the files are as nbformat itself writes them. $TANDEM is the
program.
"""
import copy
import glob
import os
import subprocess
import tempfile
import unittest

PREFIX = tempfile.mkdtemp(prefix="tandem-kernel-")
os.environ["JUPYTER_PATH"] = PREFIX + "/share/jupyter"
os.environ["JUPYTER_RUNTIME_DIR"] = PREFIX + "/runtime"
os.makedirs(PREFIX + "/runtime")

import nbclient  # noqa: E402  after the environment
import nbformat  # noqa: E402


def setUpModule():
    subprocess.run([os.environ["TANDEM"], "kernel", "install", "--prefix", PREFIX], check=True,
                   stdout=subprocess.DEVNULL)


class Notebooks(unittest.TestCase):
    maxDiff = 4000

    def test_there_are_some(self):
        self.assertTrue(glob.glob("notebooks/*.ipynb"))


def joined(outputs):
    """Outputs with neighbouring texts of a stream as one, as front ends show them."""
    found = []
    for output in outputs or []:
        last = found[-1] if found else {}
        if output.output_type == "stream" and last.get("name") == output.name:
            last["text"] += output.text
        else:
            found.append(dict(output))
    return found


def add_tests(path):
    name = os.path.basename(path)[:-len(".ipynb")].replace("-", "_")

    def executes(self):
        book = nbformat.read(path, 4)
        executed = copy.deepcopy(book)
        nbclient.NotebookClient(executed, kernel_name="tandem", timeout=300,
                                resources={"metadata": {"path": "notebooks"}}).execute()
        self.assertEqual(executed.metadata.language_info, book.metadata.language_info)
        for ours, theirs in zip(book.cells, executed.cells):
            self.assertEqual(joined(ours.get("outputs")), joined(theirs.get("outputs")))
            self.assertEqual(ours.get("execution_count"), theirs.get("execution_count"))

    def is_as_nbformat_writes(self):
        book = nbformat.read(path, 4)
        nbformat.validate(book)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), nbformat.writes(book) + "\n")

    setattr(Notebooks, "test_%s_executes_to_the_same_outputs" % name, executes)
    setattr(Notebooks, "test_%s_is_written_as_nbformat_does" % name, is_as_nbformat_writes)


for notebook in sorted(glob.glob("notebooks/*.ipynb")):
    add_tests(notebook)

if __name__ == "__main__":
    unittest.main()
