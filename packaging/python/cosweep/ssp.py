"""Systems of FMUs, as SSP files (.ssp) or structure descriptions (.ssd) have them."""

import shutil
import tempfile
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from . import fmi

SSD = "{http://ssp-standard.org/SSP1/SystemStructureDescription}"
SSC = "{http://ssp-standard.org/SSP1/SystemStructureCommon}"
SSV = "{http://ssp-standard.org/SSP1/SystemStructureParameterValues}"
BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
STEPS, CLOSE = 20, 1e-10


class _Component:
    def __init__(self, name, folder, element):
        self.name, self.path = name, folder / element.get("source", "")
        self.values = {}


def _unit(connector):
    kind = next(iter(connector), None)
    return kind.get("unit") if kind is not None else None


class _End:
    """An end of a connection: a component's connector, or a system's on the way there."""

    def __init__(self, path, connector):
        self.path, self.connector = path, connector


class System:
    """The components, the connections between them and the units of a structure, flattened."""

    def __init__(self, path):
        self.label = Path(path).name
        self.components, self.links, self.scratch, self.connectors, self.systems = {}, [], None, {}, set()
        try:
            folder, root = self._open(Path(path))
            self.units = {u.get("name"): self._base(u) for u in root.iter(f"{SSC}Unit")}
            self._read(root.find(f"{SSD}System"), (), folder)
        except (ElementTree.ParseError, zipfile.BadZipFile, KeyError) as error:
            self.close()
            raise ValueError(f"{self.label}: {error}") from error

    def _open(self, path):
        if path.suffix == ".ssp":
            self.scratch = Path(tempfile.mkdtemp(prefix="cosweep-"))
            with zipfile.ZipFile(path) as file:
                file.extractall(self.scratch)
            path = self.scratch / "SystemStructure.ssd"
            if not path.exists():
                raise ValueError(f"{self.label}: no SystemStructure.ssd in it")
        return path.parent, ElementTree.parse(path).getroot()

    def close(self):
        if self.scratch is not None:
            shutil.rmtree(self.scratch, ignore_errors=True)

    @staticmethod
    def _base(unit):
        """Exponents, factor and offset of a unit."""
        base = unit.find(f"{SSC}BaseUnit")
        if base is None:
            return None
        return (tuple(int(base.get(b, 0)) for b in BASE), float(base.get("factor", 1)), float(base.get("offset", 0)))

    # ---- structure

    def _read(self, system, path, folder):
        if system is None:
            raise ValueError(f"{self.label}: no system in it")
        self._name_units(system, path)
        self.systems.add(path)
        for element in system.findall(f"{SSD}Elements/*"):
            name = element.get("name")
            if element.tag == f"{SSD}System":
                self._read(element, (*path, name), folder)
            elif element.tag == f"{SSD}Component":
                self._name_units(element, (*path, name))
                one = _Component("_".join((*path, name)), folder, element)
                self.components[(*path, name)] = one
                if not one.path.exists():
                    raise ValueError(f"{self.label}: {one.name}: no file {element.get('source')}")
                self._bind(element, one, "", folder)
            else:
                raise ValueError(f"{self.label}: {name}: {element.tag.split('}')[1]} is not read; want Component or System")
        for binding in system.findall(f"{SSD}ParameterBindings"):
            self._bind_system(binding, path, folder)
        for c in system.findall(f"{SSD}Connections/{SSD}Connection"):
            self.links.append((self._end(path, c, "start"), self._end(path, c, "end"), c))

    def _name_units(self, element, path):
        for c in element.findall(f"{SSD}Connectors/{SSD}Connector"):
            self.connectors[path, c.get("name")] = _unit(c)

    @staticmethod
    def _end(path, connection, which):
        element = connection.get(f"{which}Element")
        return _End((*path, element) if element else path, connection.get(f"{which}Connector"))

    # ---- parameters

    def _values(self, binding, folder):
        """Names and values of a parameter binding, inline or from a file."""
        if binding.find(f"{SSD}ParameterMapping") is not None:
            raise ValueError(f"{self.label}: a ParameterMapping is not read; want parameters by the names of the FMU")
        source, prefix = binding.get("source"), binding.get("prefix", "")
        if source:
            if not (folder / source).exists():
                raise ValueError(f"{self.label}: no file {source}")
            sets = [ElementTree.parse(folder / source).getroot()]
        else:
            sets = binding.findall(f"{SSD}ParameterValues/{SSV}ParameterSet")
        for parameters in sets:
            for p in parameters.iter(f"{SSV}Parameter"):
                yield prefix + p.get("name"), next(iter(p)).get("value")

    def _bind(self, element, component, below, folder):
        for binding in element.findall(f"{SSD}ParameterBindings/{SSD}ParameterBinding"):
            component.values.update((name, value) for name, value in self._values(binding, folder))

    def _bind_system(self, bindings, path, folder):
        """Of a system: COMPONENT.NAME, below it."""
        for binding in bindings.findall(f"{SSD}ParameterBinding"):
            for name, value in self._values(binding, folder):
                found = [c for key, c in self.components.items()
                         if key[:len(path)] == path and name.startswith(".".join(key[len(path):]) + ".")]
                if not found:
                    raise ValueError(f"{self.label}: no component for the parameter \"{name}\"")
                best = max(found, key=lambda c: len(c.name))
                key = next(k for k, c in self.components.items() if c is best)
                best.values[name[len(".".join(key[len(path):])) + 1:]] = value

    # ---- connections

    def _follow(self, start, end, link):
        """Connections from component to component that begin with one; each with its gain and offset."""
        gain, offset = self._transformation(start, end, link)
        if end.path in self.components:
            yield end, gain, offset
            return
        for there, further, other in self.links:
            if there.path == end.path and there.connector == end.connector and other is not link:
                for last, g, o in self._follow(there, further, other):
                    yield last, gain * g, offset * g + o

    def connections(self):
        """(component, output, component, input, gain, offset) of all."""
        for start, end, link in self.links:
            for end_of in (start, end):
                self._check_element(end_of)
            if start.path not in self.components:
                continue
            for last, gain, offset in self._follow(start, end, link):
                a, b = self.components[start.path], self.components[last.path]
                self._check(a, start.connector, "output")
                self._check(b, last.connector, "input")
                yield a, start.connector, b, last.connector, gain, offset

    def _check_element(self, end):
        if end.path not in self.components and end.path not in self.systems:
            names = [".".join(path) for path in [*self.components, *self.systems] if path]
            raise ValueError(f"{self.label}: no element \"{'.'.join(end.path)}\"; it has: {', '.join(names)}")

    def _check(self, component, connector, kind):
        """An FMU's own variables count; connectors only name them."""
        names = [s.name for s in (component.fmu.outputs if kind == "output" else component.fmu.inputs)]
        if connector not in names:
            raise ValueError(f"{self.label}: no connector \"{connector}\" at component \"{component.name}\"; it has: "
                             f"{', '.join(names) or 'none of that direction'}")

    def _transformation(self, start, end, link):
        """Gain and offset: those that are written, or of the units."""
        linear = link.find(f"{SSC}LinearTransformation")
        if linear is not None:
            return float(linear.get("factor", 1)), float(linear.get("offset", 0))
        for other in ("BooleanMappingTransformation", "IntegerMappingTransformation", "EnumerationMappingTransformation"):
            if link.find(f"{SSC}{other}") is not None:
                raise ValueError(f"{self.label}: {other} is not linear")
        if link.get("suppressUnitConversion") in ("true", "1"):
            return 1.0, 0.0
        ends = [self._unit_of(e) for e in (start, end)]
        if None in ends or ends[0] == ends[1]:
            return 1.0, 0.0
        bases = [self.units.get(u) for u in ends]
        if None in bases:
            missing = ends[bases.index(None)]
            raise ValueError(f"{self.label}: {self._name(start)} -> {self._name(end)}: unit \"{missing}\" has no BaseUnit")
        if bases[0][0] != bases[1][0]:
            raise ValueError(f"{self.label}: {self._name(start)} [{ends[0]}] -> {self._name(end)} [{ends[1]}]: units of "
                             "different kinds")
        (_, f, o), (_, g, q) = bases
        return f / g, (o - q) / g

    def _unit_of(self, end):
        return self.connectors.get((end.path, end.connector))

    @staticmethod
    def _name(end):
        return ".".join((*end.path, end.connector))


# ---- operating point

def _coupling(components, links):
    """L and b of u = L y + b, over all inputs and outputs."""
    inputs = [(c, s.name) for c in components for s in c.fmu.inputs]
    outputs = [(c, s.name) for c in components for s in c.fmu.outputs]
    L, b = np.zeros((len(inputs), len(outputs))), np.concatenate([c.fmu.start(c.values_of_inputs) for c in components])
    fed = set()
    for a, y, c, u, gain, offset in links:
        row = inputs.index((c, u))
        if row not in fed:
            b[row] = 0
            fed.add(row)
        L[row, outputs.index((a, y))] += gain
        b[row] += offset
    return L, b


def _split(components, values):
    """{component: {input: value}}"""
    at, out = 0, {}
    for c in components:
        out[c] = dict(zip([s.name for s in c.fmu.inputs], values[at:at + len(c.fmu.inputs)]))
        at += len(c.fmu.inputs)
    return out


def _diagonal(blocks):
    out = np.zeros(tuple(np.sum([b.shape for b in blocks], axis=0)))
    row = column = 0
    for b in blocks:
        out[row:row + b.shape[0], column:column + b.shape[1]] = b
        row, column = row + b.shape[0], column + b.shape[1]
    return out


def _solve(system, components, links, states, how):
    """Every component's matrices where u = L y(x, u) + b; returns u."""
    L, b = _coupling(components, links)
    u = b.copy()
    for _ in range(STEPS):
        inputs = _split(components, u)
        for c in components:
            c.fmu.warnings.clear()
            c.parts = how(c, inputs[c], states.get(c))
        C, D = _diagonal([c.parts["C"] for c in components]), _diagonal([c.parts["D"] for c in components])
        x0, f = (np.concatenate([c.parts[key] for c in components]) for key in ("x0", "f"))
        y = C @ x0 + D @ u + f
        residual = L @ y + b - u
        if np.abs(residual).max(initial=0) <= CLOSE * max(1.0, np.abs(u).max(initial=0)):
            return u
        try:
            u = u + np.linalg.solve(np.eye(len(u)) - L @ D, residual)
        except np.linalg.LinAlgError:
            break
    raise ValueError(f"{system.label}: no operating point: u = L y + b is not solved in {STEPS} steps")


def _advance(components, links, u0, end, step):
    """States by name of every component after steps of a plain co-simulation up to the time `end`, with inputs u0 at
    first."""
    L, b = _coupling(components, links)
    inputs = _split(components, u0)
    running = [c.fmu.instance("CoSimulation", c.values, list(inputs[c].values())) for c in components]
    try:
        for k in range(max(1, round(end / step))):
            y = np.concatenate([c.fmu.read(it, c.fmu.outputs) for c, it in zip(components, running)])
            inputs = _split(components, L @ y + b)
            for c, it in zip(components, running):
                c.fmu.write(it, c.fmu.inputs, list(inputs[c].values()))
                it.doStep(currentCommunicationPoint=k * step, communicationStepSize=step)
        states = {}
        for c, it in zip(components, running):
            signals = [s for d in c.fmu.md.derivatives for s in fmi.Fmu.elements(d.variable.derivative)]
            states[c] = dict(zip([s.name for s in signals], c.fmu.read(it, signals)))
        return states
    finally:
        for it in running:
            fmi._close(it)


def read(path, at=None, step=None):
    """Matrices by component, connections (output, input, gain) by their names, constants (input, value), warnings.

    at, step: the FMUs are first run up to a time by exchanges at steps of that size (s)."""
    fmi.need_fmpy(path)
    system = System(path)
    try:
        components = list(system.components.values())
        for c in components:
            c.fmu = fmi.Fmu(c.path)
            names = {s.name for s in c.fmu.inputs}
            c.values_of_inputs = {k: float(v) for k, v in c.values.items() if k in names}
            c.values = {k: v for k, v in c.values.items() if k not in names}
        links = list(system.connections())
        if at is not None and step is None:
            raise ValueError(f"{system.label}: at needs the size of the steps up to there")

        def how(c, inputs, states):
            if c.fmu.md.modelExchange is not None:
                return fmi.linearize(c.fmu, c.values, inputs, states)
            if states is not None:
                raise ValueError(f"{system.label}: {c.name}: no model exchange; its states cannot be set")
            return fmi.identify(c.fmu, step, None, c.values, inputs)

        u0 = _solve(system, components, links, {}, how)
        if at is not None:
            states = _advance(components, links, u0, float(at), float(step))
            _solve(system, components, links, states, how)
        parts = {c.name: c.parts for c in components}
        wires = [(f"{a.name}.{y}", f"{c.name}.{u}", gain) for a, y, c, u, gain, _ in links]
        constants = [(f"{c.name}.{u}", offset) for _, _, c, u, _, offset in links if offset != 0]
        return parts, wires, constants, [w for c in components for w in c.fmu.warnings]
    finally:
        for c in system.components.values():
            if hasattr(c, "fmu"):
                shutil.rmtree(c.fmu.folder, ignore_errors=True)
        system.close()
