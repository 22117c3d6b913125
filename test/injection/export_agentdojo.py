"""Write the ground-truth calls of AgentDojo's tasks as JSON to standard output.

    python3 -m venv v && v/bin/pip install agentdojo==0.1.35
    v/bin/python test/injection/export_agentdojo.py > agentdojo.json
    LOCI_TEST_AGENTDOJO=$PWD/agentdojo.json go test -v -run AgentDojo ./test/injection

An injected task that comes without calls is given the letter that it asks for.
"""

import json
import re
import sys

from agentdojo.task_suite.load_suites import get_suites

VERSION = "v1.2.2"
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


def calls_of(task, environment):
    return [{"tool": c.function, "args": c.args} for c in task.ground_truth(environment)]


def injected(task, environment):
    calls = calls_of(task, environment)
    addresses = ADDRESS.findall(task.GOAL) or ["everybody@today.example"]
    if not calls and "email" in task.GOAL:
        calls = [{"tool": "send_email", "args": {"recipients": addresses[:1], "subject": "", "body": task.GOAL}}]
    return {"id": task.ID, "goal": task.GOAL, "calls": calls}


def main():
    suites = {}
    for name, suite in get_suites(VERSION).items():
        environment = suite.load_and_inject_default_environment({})
        suites[name] = {
            "tools": [t.name for t in suite.tools],
            "user": [
                {"id": t.ID, "prompt": t.PROMPT, "calls": calls_of(t, environment)}
                for t in suite.user_tasks.values()
            ],
            "injected": [injected(t, environment) for t in suite.injection_tasks.values()],
        }
    json.dump(suites, sys.stdout, ensure_ascii=False, indent=1, default=str)


if __name__ == "__main__":
    main()
