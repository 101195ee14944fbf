"""Systems of FMUs, as SSP files (.ssp) or structure descriptions (.ssd) have them."""

import shutil
import tempfile
from pathlib import Path

import numpy as np

from . import fmi
from .archive import Archive, Refused, Room, inside, number, read_xml
from .parameters import BASE, SSC, SSD, conversion, linear, read_binding, read_units, suppressed

STEPS, CLOSE = 20, 1e-10


class _Component:
    """An FMU of a system; opened later."""

    def __init__(self, name, path):
        self.name, self.path, self.fmu = name, path, None
        self.values = {}  # of its variables, by name
        self.inputs = {}  # the same of inputs

    def unit_of(self, name):
        """Unit of a variable and its base unit, as the FMU has them; (None, None) where it does not have both."""
        v = self.fmu.names.get(name) or next((s.variable for s in self.fmu.inputs if s.name == name), None)
        unit = v and (v.unit or (v.declaredType.unit if v.declaredType is not None else None))
        base = next((u.baseUnit for u in self.fmu.md.unitDefinitions if u.name == unit), None)
        return (None, None) if base is None else (unit, (tuple(getattr(base, b) for b in BASE), base.factor, base.offset))

    def shown(self, name):
        """The name of a signal in the model."""
        return f"{self.name}.{self.fmu.shown(name)}"

    def has(self, name):
        return name in self.fmu.names or any(s.name == name for s in self.fmu.inputs)

    def set(self, name, value):
        """Of an array all elements, or one of an input."""
        elements = [s for s in self.fmu.inputs if name in (s.name, s.variable.name)]
        if not elements:
            self.values[name] = value
        numbers = value.split() or [""] if isinstance(value, str) else np.ravel(value)
        for i, s in enumerate(elements):
            self.inputs[s.name] = number(numbers[min(i, len(numbers) - 1)], f"{self.name}.{s.name}")


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
        self.bindings, self.warnings = [], []  # bindings: (path, value); from inside out, the last one counts
        self.room = Room()
        try:
            folder, root = self._open(Path(path))
            self.units = read_units(root)
            self._read(root.find(f"{SSD}System"), (), folder)
        except BaseException:
            self.close()
            raise

    def _open(self, path):
        if path.suffix == ".ssp":
            self.scratch = Path(tempfile.mkdtemp(prefix="cosweep-"))
            with Archive(path) as archive:
                archive.unpack(self.scratch, self.room)
            path = self.scratch / "SystemStructure.ssd"
            if not path.is_file():
                raise Refused(f"{self.label}: no SystemStructure.ssd in it")
        return path.parent, read_xml(path, self.label)

    def close(self):
        for c in self.components.values():
            if c.fmu is not None:
                c.fmu.close()
        if self.scratch is not None:
            shutil.rmtree(self.scratch, ignore_errors=True)

    # ---- structure

    def _read(self, system, path, folder):
        if system is None:
            raise ValueError(f"{self.label}: no system in it")
        self._name_units(system, path)
        self._refuse_lines(system)
        self.systems.add(path)
        for element in system.findall(f"{SSD}Elements/*"):
            kind, name = element.tag.split("}")[-1], element.get("name")
            if not name:
                raise Refused(f"{self.label}: {'.'.join(path) or 'system'}: a {kind} without name")
            if (*path, name) in self.components or (*path, name) in self.systems:
                raise Refused(f"{self.label}: two elements are called \"{'.'.join((*path, name))}\"")
            if element.tag == f"{SSD}System":
                self._read(element, (*path, name), folder)
            elif element.tag == f"{SSD}Component":
                self._name_units(element, (*path, name))
                called = "_".join((*path, name))
                file = inside(folder, element.get("source", ""), f"{self.label}: {called}")
                self.components[(*path, name)] = _Component(called, file)
                self._bind(element, (*path, name), folder)
            else:
                raise ValueError(f"{self.label}: {name}: {kind} is not read; want Component or System")
        self._bind(system, path, folder)
        for c in system.findall(f"{SSD}Connections/{SSD}Connection"):
            self.links.append((self._end(path, c, "start"), self._end(path, c, "end"), c))

    def _refuse_lines(self, system):
        """Connections of OMSimulator with a delay, in annotations: the network would lack them."""
        for c in system.findall(f"{SSD}Annotations//*"):
            if c.tag.split("}")[-1] == "Connection" and c.get("delay") is not None:
                a, b = (f"{c.get(which + 'Element')}.{c.get(which + 'Connector')}" for which in ("start", "end"))
                raise ValueError(f"{self.label}: {a} -> {b}: a TLM connection is not read; want it among the \"lines\" of a "
                                 "model file, with stiffness linearimpedance / delay")

    def _name_units(self, element, path):
        for c in element.findall(f"{SSD}Connectors/{SSD}Connector"):
            if not c.get("name"):
                raise Refused(f"{self.label}: {'.'.join(path) or 'system'}: a Connector without name")
            self.connectors[path, c.get("name")] = _unit(c)

    def _end(self, path, connection, which):
        element, connector = connection.get(f"{which}Element"), connection.get(f"{which}Connector")
        if not connector:
            raise Refused(f"{self.label}: a Connection without {which}Connector")
        return _End((*path, element) if element else path, connector)

    # ---- parameters

    def _bind(self, element, path, folder):
        for binding in element.findall(f"{SSD}ParameterBindings/{SSD}ParameterBinding"):
            for value in read_binding(self.label, folder, binding, self.units, self.warnings):
                self.bindings.append((path, value))

    def set_parameters(self):
        """Of components: their variables; of systems: COMPONENT.NAME below them, or their connectors."""
        for path, value in self.bindings:
            if not any([self._set(path, value, component) for component in self.components]
                       + [self._set_connector(path, value, key) for key in self.connectors]):
                self.warnings.append(f"{self.label}: no variable \"{'.'.join((*path, value.name))}\"; its value is left out")

    @staticmethod
    def _is(path, name, owner, inner):
        """Whether a name at a path is that of `inner` of what stands at another one."""
        return owner[:len(path)] == path and name == ".".join((*owner[len(path):], inner))

    def _set(self, path, value, key):
        component, below = self.components[key], key[len(path):]
        name = value.name[sum(len(part) + 1 for part in below):]
        if not (component.has(name) and self._is(path, value.name, key, name)):
            return False
        component.set(name, value.resolved(self._unit_of(key, name), f"{self.label}: {'.'.join((*key, name))}"))
        return True

    def _set_connector(self, path, value, key):
        """Hands the value on to what a system's connector is connected to inside."""
        owner, name = key
        if owner not in self.systems or not self._is(path, value.name, owner, name):
            return False
        what = f"{self.label}: {'.'.join((*owner, name))}"
        here = value.resolved(self._unit_of(owner, name), what)
        for there, further, link in self.links:
            if (there.path, there.connector) == key:
                for last, gain, offset in self._follow(there, further, link):
                    if (gain, offset) != (1, 0) and isinstance(here, str):
                        raise ValueError(f"{what}: a gain is for Real, not {value.kind}")
                    self.components[last.path].set(last.connector, here if isinstance(here, str) else gain * here + offset)
        return True

    # ---- connections

    def _follow(self, start, end, link, passed=()):
        """Connections from component to component that begin with one; each with its gain and offset. passed: those on
        the way to it."""
        if link in passed:
            raise Refused(f"{self.label}: {self._name(start)} -> {self._name(end)}: leads back to itself")
        gain, offset = self._transformation(start, end, link)
        if end.path in self.components:
            yield end, gain, offset
            return
        for there, further, other in self.links:
            if there.path == end.path and there.connector == end.connector:
                for last, g, o in self._follow(there, further, other, (*passed, link)):
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
        """Gain and offset: of the units, then those that are written."""
        what = f"{self.label}: {self._name(start)} -> {self._name(end)}"
        for other in ("Boolean", "Integer", "Enumeration"):
            if link.find(f"{SSC}{other}MappingTransformation") is not None:
                raise ValueError(f"{what}: {other}MappingTransformation is not linear")
        gain, shift = (1.0, 0.0) if suppressed(link) else conversion(what, *(self._unit_of(e.path, e.connector)
                                                                              for e in (start, end)))
        factor, offset = linear(link, what)
        return factor * gain, factor * shift + offset

    def _unit_of(self, path, name):
        """Name and base unit of a connector, or of the variable of an FMU where it has none."""
        unit = self.connectors.get((path, name))
        if unit is None and path in self.components:
            return self.components[path].unit_of(name)
        return unit, self.units.get(unit)

    @staticmethod
    def _name(end):
        return ".".join((*end.path, end.connector))


# ---- operating point

def _coupling(components, links):
    """L and b of u = L y + b, over all inputs and outputs."""
    inputs = [(c, s.name) for c in components for s in c.fmu.inputs]
    outputs = [(c, s.name) for c in components for s in c.fmu.outputs]
    L, b = np.zeros((len(inputs), len(outputs))), np.concatenate([c.fmu.start(c.inputs) for c in components])
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

    def arrays(u):
        return [np.array(list(values.values())) for values in _split(components, u).values()]

    states = fmi.advance([c.fmu for c in components], [c.values for c in components], arrays(u0), end, step,
                         lambda outputs: arrays(L @ np.concatenate(outputs) + b))
    return dict(zip(components, states))


def read(path, at=None, step=None, identify=None, states=None, tell=None):
    """Matrices by component, connections (output, input, gain) by their names, constants (input, value), warnings.

    at, step: the FMUs are first run up to a time by exchanges at steps of that size (s); identify, states: black boxes;
    tell: as of fmi.Fmu."""
    fmi.need_fmpy(path)
    system = System(path)
    try:
        components = list(system.components.values())
        for c in components:
            c.fmu = fmi.Fmu(c.path, identify is not None, system.room, tell, c.name)
            fmi.check_at(f"{system.label}: {c.name}", at, step, c.fmu.exchange)
        system.set_parameters()
        links = list(system.connections())

        def how(c, inputs, reached):
            if c.fmu.exchange:
                return fmi.linearize(c.fmu, c.values, inputs, reached, None if reached is None else at)
            return fmi.identify(c.fmu, identify or step, states, c.values, inputs)

        u0 = _solve(system, components, links, {}, how)
        if at is not None:
            reached = _advance(components, links, u0, at, step)
            _solve(system, components, links, reached, how)
        parts = {c.name: c.parts for c in components}
        wires = [(a.shown(y), c.shown(u), gain) for a, y, c, u, gain, _ in links]
        constants = [(c.shown(u), offset) for _, _, c, u, _, offset in links if offset != 0]
        return parts, wires, constants, system.warnings + [w for c in components for w in c.fmu.warnings]
    finally:
        system.close()
