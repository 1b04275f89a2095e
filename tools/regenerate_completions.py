#!/usr/bin/env python3
"""Makes the man page of devquery and its completions for bash, zsh and fish of what devquery --help prints.

    python3 tools/regenerate_completions.py [--check] build/dev/bin/devquery

--check changes nothing: exit code 1 if a file is not up to date.
"""

import dataclasses
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXIT_CODES = ROOT / "docs" / "tools.md"
NOTE = "Made by tools/regenerate_completions.py of devquery --help."


@dataclasses.dataclass
class Option:
    names: list  # ["-h", "--help"]
    value: str  # "FILE"; empty for a flag
    text: str


@dataclasses.dataclass
class Verb:
    name: str  # empty for devquery itself
    text: str
    options: list
    verbs: list  # names and descriptions
    footer: list  # lines


def entries(lines):
    """The indented entries of a section of the help: what stands left, and the description, which may be on the next line."""
    found = []
    for line in lines:
        line = re.sub(r"^(  -\w),\s+", r"\1,", line)  # newer versions of CLI11 align long names
        if re.match(r"  \S", line):
            left, _, text = line.strip().partition("  ")
            found.append([left, text.strip()])
        elif found:
            found[-1][1] = (found[-1][1] + " " + line.strip()).strip()
    return found


def option_of(left, text):
    words = left.split(" Excludes:")[0].split()
    value = words[1] if len(words) > 1 else ""
    return Option(words[0].split(","), value, text)


def read_help(devquery, verb=""):
    """What --help says about a verb."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("CUPOOL_")}
    command = [devquery, *([verb] if verb else []), "--help"]
    output = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    text, _, rest = output.partition("\nUsage:")
    blocks = [block.split("\n") for block in rest.strip("\n").split("\n\n")]
    sections = {block[0].strip().lower(): block[1:] for block in blocks}
    options = [option_of(*entry) for entry in entries(sections.get("options:", []))]
    if not options:
        sys.exit(f"{' '.join(command)} prints no options")
    footer = [] if blocks[-1][0].strip().endswith(":") else blocks[-1]
    return Verb(verb, text.strip(), options, entries(sections.get("subcommands:", [])), footer)


# ------------------------------------------------------------------------------------------------------------------------- the man page


def roff(text):
    """A text in which roff finds nothing to obey."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def bold(text):
    return f"\\fB{roff(text)}\\fR"


def man_option(option):
    value = f" \\fI{roff(option.value)}\\fR" if option.value else ""
    return [".TP", ", ".join(bold(name) for name in option.names) + value, roff(option.text[:1].upper() + option.text[1:] + ".")]


def exit_codes():
    """The rows of the table in docs/tools.md."""
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", EXIT_CODES.read_text(), re.MULTILINE)
    return [line for code, text in rows for line in (".TP", bold(code), roff(text.replace("`", "") + "."))]


def man_page(main, verbs, version):
    lines = [f'.\\" {NOTE}', f'.TH DEVQUERY 1 "" "{version.replace("devquery", "cupool")}" "User Commands"']
    lines += [".SH NAME", "devquery \\- shows the GPUs that CUDA can use on this host, and if there is none, why", ".SH SYNOPSIS"]
    lines += [".B devquery", "[\\fIOPTIONS\\fR]"]
    for verb in verbs:
        lines += [".br", f".B devquery {verb.name}", "[\\fIOPTIONS\\fR]"]
    lines += [".SH DESCRIPTION", roff(main.text)]
    lines += ["It needs no CUDA toolkit, and finds the driver at run time.", ".SH OPTIONS"]
    lines += [line for option in main.options for line in man_option(option)]
    lines += [".SH COMMANDS"]
    for verb in verbs:
        lines += [f".SS devquery {verb.name}", roff(verb.text[:1].upper() + verb.text[1:] + ".")]
        lines += [line for option in verb.options for line in man_option(option)]
        for line in verb.footer:
            lines += [".PP", roff(line)]
    lines += [".SH EXIT STATUS", *exit_codes(), ".SH ENVIRONMENT"]
    for name, text in (
        ("CUDA_VISIBLE_DEVICES", "The GPUs that CUDA shows, as usual."),
        ("CUPOOL_DRIVER", "The absolute path of the libcuda to load instead of the system's."),
        ("CUPOOL_NVML", "The absolute path of the libnvidia-ml to load instead of the system's."),
        ("CUPOOL_LOG", "The lowest level that is logged to stderr: error, warning, info or debug."),
        ("NO_COLOR", "If it is set, nothing has colours."),
        ("COLUMNS", "The width of tables in characters; 0 for no limit."),
    ):
        lines += [".TP", bold(name), roff(text)]
    return "\n".join([*lines, ".SH SEE ALSO", ".BR nvidia\\-smi (1)", ""])


# ---------------------------------------------------------------------------------------------------------------------- the completions


def names_of(options):
    return [name for option in options for name in option.names if name.startswith("--")]


def bash_completion(main, verbs):
    def places(values):
        """The options with a value of these kinds, as patterns of a case."""
        found = [f"{verb.name},{name}" for verb in verbs for o in verb.options if o.value in values for name in o.names]
        return " | ".join(found)

    files, folders = places(["FILE"]), places(["FOLDER"])
    kinds = {option.value for verb in verbs for option in verb.options}
    others = places(sorted(kinds - {"", "FILE", "FOLDER"}))
    names = " | ".join(verb.name for verb in verbs)
    cases = "".join(f"        {verb.name}) words='{' '.join(names_of(verb.options))}' ;;\n" for verb in verbs)
    first = " ".join([*(verb.name for verb in verbs), *names_of(main.options)])
    return f"""# {NOTE}
_devquery() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} verb= words= i
    for ((i = 1; i < COMP_CWORD; ++i)); do
        case ${{COMP_WORDS[i]}} in
            {names})
                verb=${{COMP_WORDS[i]}}
                break
                ;;
        esac
    done
    COMPREPLY=()
    case $verb,$previous in
        {files})
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
            ;;
        {folders})
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -d -- "$word")
            return
            ;;
        {others}) return ;;
    esac
    case $verb in
{cases}        *) words='{first}' ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -F _devquery devquery
"""


def zsh_text(text):
    """A description inside '...[...]'."""
    for special in "\\[]:":
        text = text.replace(special, "\\" + special)
    return text.replace("'", "'\\''")


def zsh_options(options, indent):
    actions = {"": "", "FILE": ":FILE:_files", "FOLDER": ":FOLDER:_files -/"}
    lines = []
    for option in options:
        action = actions.get(option.value, f":{zsh_text(option.value)}: ")
        lines += [f"{indent}'{name}[{zsh_text(option.text)}]{action}' \\" for name in option.names]
    return "\n".join(lines)


def zsh_completion(main, verbs):
    listed = "\n".join(f"        '{name}:{zsh_text(text)}'" for name, text in main.verbs)
    cases = "".join(f"                {verb.name})\n                    _arguments \\\n{zsh_options(verb.options, ' ' * 24)}\n"
                    "                        && return\n                    ;;\n" for verb in verbs)
    return f"""#compdef devquery
# {NOTE}
_devquery() {{
    local context state line
    typeset -A opt_args
    local -a verbs=(
{listed}
    )
    _arguments -C \\
{zsh_options(main.options, ' ' * 8)}
        '1: :->verb' \\
        '*:: :->options' && return
    case $state in
        verb) _describe -t commands 'devquery command' verbs ;;
        options)
            case $words[1] in
{cases}            esac
            ;;
    esac
}}
_devquery "$@"
"""


def fish_text(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_option(option, condition):
    words = ["complete -c devquery -n", condition]
    for name in option.names:
        words += ["-l", name[2:]] if name.startswith("--") else ["-s", name[1:]]
    if option.value in ("FILE", "FOLDER"):
        words += ["-r", "-F" if option.value == "FILE" else "-a '(__fish_complete_directories)'"]
    elif option.value:
        words += ["-x"]
    return " ".join([*words, "-d", fish_text(option.text)])


def fish_completion(main, verbs):
    lines = [f"# {NOTE}", "complete -c devquery -f"]
    for name, text in main.verbs:
        lines.append(f"complete -c devquery -n __fish_use_subcommand -a {name} -d {fish_text(text)}")
    lines += [fish_option(option, "__fish_use_subcommand") for option in main.options]
    for verb in verbs:
        lines += [fish_option(option, f"'__fish_seen_subcommand_from {verb.name}'") for option in verb.options]
    return "\n".join([*lines, ""])


def main():
    check = "--check" in sys.argv
    [devquery] = [argument for argument in sys.argv[1:] if argument != "--check"]
    devquery = os.path.abspath(devquery)
    top = read_help(devquery)
    verbs = [read_help(devquery, name) for name, _ in top.verbs]
    version = subprocess.run([devquery, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    files = {
        "docs/devquery.1": man_page(top, verbs, version),
        "tools/completions/devquery.bash": bash_completion(top, verbs),
        "tools/completions/_devquery": zsh_completion(top, verbs),
        "tools/completions/devquery.fish": fish_completion(top, verbs),
    }
    old = [name for name, text in files.items() if not (ROOT / name).is_file() or (ROOT / name).read_text() != text]
    if check and old:
        sys.exit(f"not up to date: {', '.join(old)}; python3 tools/regenerate_completions.py {devquery}")
    for name in old:
        (ROOT / name).write_text(files[name])


main()
