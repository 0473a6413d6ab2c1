"""The page of Python's calls, of their docstrings: text in paragraphs, formulas indented, and lines such as

    alpha      what it is, with more of it
               in the same column
"""
import html
import inspect
import pathlib
import re
import sys

PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "python"


def words(text):
    """Plain text as HTML, what is in backquotes as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text))


def doc(text):
    """A docstring as HTML."""
    out, lines = [], (text or "").splitlines()
    while lines:
        line = lines.pop(0)
        term = re.match(r"((?:[a-z_*]|[A-Z]\b)[\w, *-]*?) {2,}(?=\S)", line)
        deeper = r" {4,}" if not term else " {%d}" % len(term[0])
        if not line.strip():
            continue
        if term and len(term[1]) < 25 and (len(term[0]) > 6):
            said = [line[len(term[0]):]]
            while lines and re.match(deeper, lines[0]):
                said.append(lines.pop(0).strip())
            out.append(f"<dl><dt><code>{html.escape(term[1])}</code></dt><dd>{words(' '.join(said))}</dd></dl>")
        elif line.startswith("    "):
            formula = [line]
            while lines and lines[0].startswith("    "):
                formula.append(lines.pop(0))
            out.append(f"<pre>{html.escape(chr(10).join(formula))}</pre>")
        else:
            said = [line]
            while lines and lines[0].strip() and not re.match(r"    |(?:[a-z_*]|[A-Z]\b)[\w, *-]{0,24}? {2,}\S", lines[0]):
                said.append(lines.pop(0))
            out.append(f"<p>{words(' '.join(said))}</p>")
    return "\n".join(out).replace("</dl>\n<dl>", "\n")


def signature(name, value):
    """The call, without types."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return name
    kept = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters if parameter.name != "self"]
    return f"{name}{inspect.Signature(kept)}"


def entry(name, value, level, anchor):
    text = f'<h{level} id="{anchor}">{name}</h{level}>\n'
    if callable(value):
        text += f'<pre class="wrapped">{html.escape(signature(name, value))}</pre>\n'
    return text + doc(inspect.getdoc(value))


def methods(kind):
    """The public methods and properties of a class and of those of the package that it is made of."""
    found = {}
    for base in inspect.getmro(kind):
        if base.__module__.startswith("freeridge"):
            for name, value in vars(base).items():
                if not name.startswith("_") and (inspect.getdoc(value) or "").strip() and name not in found \
                        and (isinstance(value, (property, classmethod, staticmethod)) or inspect.isfunction(value)):
                    found[name] = getattr(kind, name)
    return found


def page(Page):
    """The page; Page is that of make.py."""
    sys.path.insert(0, str(PACKAGE))
    import freeridge
    from freeridge import distributed, plots

    public = {name: getattr(freeridge, name) for name in freeridge.__all__}
    classes = {name: value for name, value in public.items() if inspect.isclass(value)}
    functions = {name: value for name, value in public.items() if inspect.isfunction(value)}
    constants = {name: value for name, value in public.items() if isinstance(value, int)}
    out = ["<h1>Calls of Python</h1>", doc(inspect.getdoc(freeridge))]
    groups = {"Estimators": sorted(name for name in classes if name.startswith("FreeRidge")),
              "The library's own objects": [name for name in classes if not name.startswith("FreeRidge")],
              "Functions": list(functions), "plots": [], "distributed": []}
    for module in (plots, distributed):
        name = module.__name__.split(".")[1]
        groups[name] = [f"{name}.{key}" for key, value in vars(module).items()
                        if inspect.isfunction(value) and value.__module__ == module.__name__ and not key.startswith("_")]
        public.update({f"{name}.{key.split('.')[1]}": getattr(module, key.split(".")[1]) for key in groups[name]})
    for title, names in groups.items():
        out.append(f"<p><b>{title}</b>: " + ", ".join(f'<a href="#{name}"><code>{name}</code></a>' for name in names) + "</p>")
    for names in groups.values():
        for name in names:
            out.append(entry(name, public[name], 2, name))
            for method, value in methods(classes[name]).items() if name in classes else ():
                out.append(entry(method, value, 3, f"{name}.{method}"))
    out.append('<h2 id="constants">Constants</h2>\n<p>Each is FREERIDGE_ and its name in the manual of C, which has its words.</p>\n<p>'
               + ", ".join(f"<code>{name}</code> {value}" for name, value in constants.items()) + "</p>")
    return Page("python-calls.html", "Calls of Python", "\n".join(out))
