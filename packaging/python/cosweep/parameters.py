"""Parameter sets of SSP files (.ssv), mappings of their names and values (.ssm), and units."""

from .archive import inside, number, read_xml

SSD = "{http://ssp-standard.org/SSP1/SystemStructureDescription}"
SSC = "{http://ssp-standard.org/SSP1/SystemStructureCommon}"
SSV = "{http://ssp-standard.org/SSP1/SystemStructureParameterValues}"
SSM = "{http://ssp-standard.org/SSP1/SystemStructureParameterMapping}"
BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
TABLES = {"Boolean": ("Boolean",), "Integer": ("Integer", "Enumeration"), "Enumeration": ("Enumeration",)}


def read_units(root):
    """{name: (exponents, factor, offset)} of the units below an element; None where there is no base unit."""
    units = {}
    for unit in root.iter(f"{SSC}Unit"):
        base = unit.find(f"{SSC}BaseUnit")
        units[unit.get("name")] = None if base is None else (
            tuple(number(base.get(b, 0), f"unit \"{unit.get('name')}\"") for b in BASE),
            *(number(base.get(key, default), f"unit \"{unit.get('name')}\"") for key, default in (("factor", 1), ("offset", 0))))
    return units


def conversion(what, here, there):
    """Gain and offset from one unit to another, each (name, base unit or None); none where a name is missing."""
    (one, a), (other, b) = here, there
    if None in (one, other) or one == other:
        return 1.0, 0.0
    if None in (a, b):
        raise ValueError(f"{what}: unit \"{one if a is None else other}\" has no BaseUnit")
    if a[0] != b[0]:
        raise ValueError(f"{what}: [{one}] and [{other}] are units of different kinds")
    if b[1] == 0:
        raise ValueError(f"{what}: unit \"{other}\" has factor 0")
    return a[1] / b[1], (a[2] - b[2]) / b[1]


def linear(element, what):
    """Factor and offset of a LinearTransformation below an element; 1 and 0 where there is none."""
    found = element.find(f"{SSC}LinearTransformation")
    return (1.0, 0.0) if found is None else tuple(number(found.get(key, default), what)
                                                  for key, default in (("factor", 1), ("offset", 0)))


def suppressed(element):
    return element.get("suppressUnitConversion") in ("true", "1")


class Value:
    """A value for a parameter or another variable, after its mapping."""

    def __init__(self, name, kind, text, unit):
        self.name, self.kind, self.text, self.unit = name, kind, text, unit  # unit: (name or None, base unit or None)
        self.factor, self.offset = 1.0, 0.0

    def mapped(self, entry, what):
        """The same as a MappingEntry names and transforms it."""
        if not entry.get("target"):
            raise ValueError(f"{what}: a MappingEntry without target")
        out = Value(entry.get("target"), self.kind, self.text, (None, None) if suppressed(entry) else self.unit)
        if entry.find(f"{SSC}LinearTransformation") is not None and self.kind != "Real":
            raise ValueError(f"{what}: a LinearTransformation is for Real, not {self.kind}")
        out.factor, out.offset = linear(entry, what)
        for kind, allowed in TABLES.items():
            table = entry.find(f"{SSC}{kind}MappingTransformation")
            if table is not None:
                if self.kind not in allowed:
                    raise ValueError(f"{what}: a {kind}MappingTransformation is for {' or '.join(allowed)}, not {self.kind}")
                out.text = _look_up(table, self.text, what)
        return out

    def resolved(self, unit, what):
        """The number, in a unit (name, base unit), or the text of another kind."""
        if self.kind != "Real":
            return self.text
        gain, offset = conversion(what, self.unit, unit)
        return self.factor * (gain * number(self.text, what) + offset) + self.offset


def _plain(text):
    return {"1": "true", "0": "false"}.get(text, text)


def _look_up(table, text, what):
    boolean = table.tag.endswith("BooleanMappingTransformation")
    entries = {e.get("source"): e.get("target") for e in table.findall(f"{SSC}MapEntry")}
    if boolean:
        entries, text = {_plain(a): b for a, b in entries.items()}, _plain(text)
    if text not in entries:
        raise ValueError(f"{what}: no MapEntry for \"{text}\"; it has: {', '.join(map(str, entries))}")
    if entries[text] is None:
        raise ValueError(f"{what}: the MapEntry for \"{text}\" has no target")
    return entries[text]


def _contents(label, folder, element, inline, kind):
    """The roots that an element names or has within, and the label of messages about them."""
    source = element.get("source")
    if element.get("type", f"application/x-ssp-parameter-{kind}") != f"application/x-ssp-parameter-{kind}":
        raise ValueError(f"{label}: {element.get('type')} is not read; want application/x-ssp-parameter-{kind}")
    if not source:
        return element.findall(inline), label
    if element.get("sourceBase", "SSD") != "SSD":
        raise ValueError(f"{label}: {source}: sourceBase {element.get('sourceBase')} is not read; want SSD")
    return [read_xml(inside(folder, source, label), f"{label}: {source}")], f"{label}: {source}"


def _read_set(label, folder, binding, units):
    sets, label = _contents(label, folder, binding, f"{SSD}ParameterValues/{SSV}ParameterSet", "set")
    for one in sets:
        known = {**units, **read_units(one)}
        for p in one.iter(f"{SSV}Parameter"):
            value = next((child for child in p if child.get("value") is not None), None)
            if value is None:
                raise ValueError(f"{label}: parameter \"{p.get('name')}\" has no value")
            unit = value.get("unit")
            yield Value(binding.get("prefix", "") + p.get("name", ""), value.tag.split("}")[-1], value.get("value"),
                        (unit, known.get(unit)))


def read_binding(label, folder, binding, units, warnings):
    """The values of a ParameterBinding. Where it has a ParameterMapping, those are applied that it names, and no others.
    """
    values = list(_read_set(label, folder, binding, units))
    mapping = binding.find(f"{SSD}ParameterMapping")
    if mapping is None:
        return values
    roots, label = _contents(label, folder, mapping, f"{SSM}ParameterMapping", "mapping")
    named, out = {v.name: v for v in values}, []
    for entry in (e for root in roots for e in root.iter(f"{SSM}MappingEntry")):
        source = entry.get("source")
        if source in named:
            out.append(named[source].mapped(entry, f"{label}: {source}"))
        else:
            warnings.append(f"{label}: no parameter \"{source}\"; its mapping to \"{entry.get('target')}\" is left out")
    return out
