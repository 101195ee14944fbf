"""What commands answer: dicts, texts, pages and figures, shown as the program shows them."""

import html
import json
from pathlib import Path

from .program import Error, call, new_folder, words_of


class Answer(dict):
    """The JSON of a command as a dict, shown as its text."""

    def __init__(self, words, place=None, accept=(0,)):
        super().__init__(json.loads(call([*words, "--json"], place, accept=accept)[0]))
        self._words, self._place, self._accept, self._text = words, place, accept, None

    def __repr__(self):
        if self._text is None:
            self._text = call(self._words, self._place, accept=self._accept)[0].rstrip()
        return self._text

    __str__ = __repr__


class Text(str):
    """A text, shown without quotation marks."""

    def __repr__(self):
        return str(self)


def _framed(page, scripts=False):
    """A whole page within a notebook, whose styles stay in it, and whose scripts reach nothing outside."""
    sandbox = ' sandbox="allow-scripts allow-downloads"' if scripts else ""
    return f'<iframe srcdoc="{html.escape(page)}"{sandbox} style="width: 100%; height: 36em; border: 0"></iframe>'


class Page:
    """A page of HTML; notebooks show it."""

    def __init__(self, text, scripts=False):
        self.html, self._scripts = text, scripts

    def __repr__(self):
        return f"<page of {len(self.html):,} bytes; .save(\"page.html\") writes it>"

    def _repr_html_(self):
        return _framed(self.html, self._scripts)

    def save(self, path):
        Path(path).write_text(self.html, encoding="utf-8")


class Explanation(Answer):
    """The JSON of `cosweep explain` as a dict, shown as its text, in notebooks as its page."""

    def page(self):
        """The page that `cosweep explain -o` writes."""
        out = new_folder() / "page.html"
        call([*self._words, "-o", out], self._place)
        return Page(out.read_text(encoding="utf-8"))

    def _repr_html_(self):
        try:
            return self.page()._repr_html_()
        except Error:  # the model is where it was no longer
            return None


_COLUMNS = ("evaluations", "stages", "error", "H [s]", "safety", "setting")


class Recommendation(dict):
    """The JSON of `cosweep recommend` as a dict, with the sweep that run takes; shown as a table."""

    def rows(self):
        for c in self["combinations"]:
            if c["H"] is not None:
                order = c["sequence"]
                first = "" if order is None else f" {order}" if isinstance(order, str) else f" {order[0]} first"
                iterated = f", {c['iterations']} iterations" if c["iterations"] else ""
                safety = "always" if c["limit"] is None else f"{c['limit'] / c['H']:.3g}"
                if "linearised" in self:
                    costs = f"{c['evaluations']:.4g} / s", f"{c['stages']:.4g} / s", "-"
                else:
                    costs = c["evaluations"], c["stages"], f"{c['error']:.3g}"
                yield (*costs, f"{c['H']:.4g}", safety,
                       f"{c['master']}{first}, {c['hold']} {c['order']}{iterated}")

    def __repr__(self):
        rows = [_COLUMNS, *(tuple(map(str, row)) for row in self.rows())]
        widths = [max(map(len, column)) for column in zip(*rows)]
        return "\n".join([self._head(), *("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows)])

    def _head(self):
        if "linearised" in self:
            return (f"{self['model']}: largest stable steps, linearised {self['linearised']}; "
                    "run(model, **found[\"sweep\"]) runs the first three")
        return (f"{self['model']}: relative error at most {self['error']:g} up to t = {self['t_end']:g} s; "
                "run(model, **found[\"sweep\"]) runs the first three")

    def _repr_html_(self):
        def line(cells, tag):
            return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"
        return (f"<p>{html.escape(self._head())}</p><table><thead>{line(_COLUMNS, 'th')}</thead><tbody>"
                + "".join(line(row, "td") for row in self.rows()) + "</tbody></table>")


class Figure:
    """A figure; notebooks show it."""

    def __init__(self, words):
        self._words, path = words, new_folder() / "figure.svg"
        call([*words, "-o", path], path.parent)
        self.svg = path.read_text(encoding="utf-8")

    def __repr__(self):
        return f"<figure of {len(self.svg):,} bytes; .save(\"figure.pdf\") writes it>"

    def _repr_svg_(self):
        return self.svg

    def save(self, path):
        """Writes what the ending says: .svg, .png or .pdf."""
        if Path(path).suffix == ".svg":
            Path(path).write_text(self.svg, encoding="utf-8")
        else:
            call([*self._words, "-o", Path(path).resolve(), "--force"])


def words_with(command, files, options):
    """A command line without -o and --json."""
    return [command, *files, *words_of(options)]
