"""Linear subsystems of FMUs 2.0 and 3.0: by the derivatives of model exchange, or by the responses of a black box."""

import contextlib
import math
import shutil
import tempfile
from ctypes import c_double
from pathlib import Path

import numpy as np

from .archive import Archive, Refused, Room, number, read_xml

DIFFERENCE = 6e-6  # of a variable's size: rounding and curvature of central differences balance
AGREE = 1e-3       # of a row's largest entry: derivatives that the FMU gives against differences
NEARBY = 0.01      # of a variable's size: how far away the model is looked at again
SAMPLES, BLOCKS, NOISE, GAP = 60, 29, 1e-9, 1e-3
PULSE = 1e-3       # of a variable's size
MOST = 2000        # states, inputs or outputs
LEFT_OUT = ("documentation/", "sources/")  # of what is unpacked


def need_fmpy(path):
    """The library; raises ImportError, with the name of the file that needs it, where there is none."""
    try:
        import fmpy
    except ImportError:
        raise ImportError(f"{path}: FMUs are read by the Python package: pip install cosweep[fmi]") from None
    return fmpy


class _Signal:
    """A real number of an FMU: a variable, or an element of one."""

    def __init__(self, variable, index, count, label):
        what = f"{label}: {variable.name}"
        self.variable, self.index, self.count = variable, index, count
        self.name = variable.name if count == 1 and not variable.shape else f"{variable.name}[{index + 1}]"
        kind = variable.declaredType
        self.unit = variable.unit or (kind.unit if kind is not None else None) or ""
        nominal = variable.nominal or (kind.nominal if kind is not None else None)
        self.nominal = abs(number(nominal or 1.0, what)) or 1.0
        starts = str(variable.start or "0").split() or [""]
        self.start = number(starts[min(index, len(starts) - 1)], what)


class _Last:
    """The last line of what is printed: FMPy prints what FMUs say."""

    line = ""

    def write(self, text):
        self.line = text.strip()[-1000:] or self.line

    def flush(self):
        pass


class Fmu:
    """An FMU's description and files; a context, whose end removes the files.

    black_box: its matrices are to be identified. room: of what is unpacked. tell(part): called before its code is run."""

    def __init__(self, path, black_box=False, room=None, tell=None, part=""):
        fmpy = need_fmpy(path)
        self.path, self.label, self.warnings, self.said = Path(path), Path(path).name, [], _Last()
        self.tell = lambda: tell(part) if tell is not None else None
        self.folder = Path(tempfile.mkdtemp(prefix="cosweep-"))
        try:
            with Archive(path) as archive:
                archive.unpack(self.folder, room or Room(), LEFT_OUT)
            self._read(fmpy)
            self.exchange = self.md.modelExchange is not None and not black_box
            self.names = {v.name: v for v in self.md.modelVariables}
            self.inputs = self._signals("input")
            self.outputs = self._signals("output")
        except BaseException:
            self.close()
            raise

    def _read(self, fmpy):
        description, what = self.folder / "modelDescription.xml", f"{self.label}: modelDescription.xml"
        if not description.is_file():
            raise Refused(f"{self.label}: no modelDescription.xml in it")
        root = read_xml(description, what)
        version = root.get("fmiVersion", "")
        if root.tag != "fmiModelDescription":
            raise Refused(f"{what}: is no description of FMI")
        if version != "2.0" and not version.startswith("3."):
            raise Refused(f"{self.label}: FMI {version}; want 2.0 or 3.0")
        try:
            self.md = fmpy.read_model_description(str(self.folder), validate=False)
        except MemoryError:
            raise
        except Exception as error:
            raise Refused(f"{what}: cannot be read: {error}") from error
        if not all(v.name for v in self.md.modelVariables):
            raise Refused(f"{what}: a variable without name")
        for interface in (self.md.modelExchange, self.md.coSimulation):
            name = interface.modelIdentifier if interface is not None else "x"
            if not name or Path(name).name != name:
                raise Refused(f"{self.label}: modelIdentifier \"{name}\" is no name of a file")

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _signals(self, causality):
        found = []
        for v in self.md.modelVariables:
            if str(getattr(v.causality, "value", v.causality)) != causality:
                continue
            kind, variability = str(v.type), str(getattr(v.variability, "value", v.variability))
            clocked = bool(getattr(v, "clocks", None))  # changes in event mode alone
            if kind not in ("Real", "Float64") or clocked or (variability == "discrete" and self.exchange):
                reason = "Float32, not Float64" if kind == "Float32" else (
                    f"{'discrete' if kind in ('Real', 'Float64') else kind}, not continuous")
                self.warnings.append(f"{self.label}: {causality} {v.name} is left out: {reason}")
                continue
            found += self.elements(v)
            if len(found) > MOST:
                raise Refused(f"{self.label}: more than {MOST} {causality}s")
        return found

    def elements(self, variable):
        """Signals of a variable, which may be an array."""
        count = self.count(variable)
        return [_Signal(variable, i, count, self.label) for i in range(count)]

    def count(self, variable):
        """Elements of a variable."""
        count = math.prod(variable.shape) if variable.shape else 1
        if count > MOST or min(variable.shape or (0,)) < 0:
            raise Refused(f"{self.label}: {variable.name} has {count} elements; want at most {MOST}")
        return count

    def shown(self, name):
        """The name of a signal in a model: in FMUs that cosweep has exported without u., y. and x. in front."""
        own = str(self.md.generationTool or "").startswith("cosweep ")
        return name[2:] if own and name[:2] in ("u.", "y.", "x.") and len(name) > 2 else name

    @property
    def gives_directions(self):
        """Whether it has directional derivatives; of FMI 3.0 FMPy does not read the attribute."""
        if self.md.fmiVersion == "2.0":
            return self.md.modelExchange.providesDirectionalDerivative
        interface = read_xml(self.folder / "modelDescription.xml", self.label).find("ModelExchange")
        return interface.get("providesDirectionalDerivatives") in ("true", "1")

    def instance(self, kind, values, inputs):
        """Instantiated and initialised, with parameters and inputs set."""
        from fmpy.simulation import instantiate_fmu
        if kind == "CoSimulation" and self.md.coSimulation is None:
            raise ValueError(f"{self.label}: no co-simulation; it cannot be run")
        try:
            fmu = instantiate_fmu(str(self.folder), self.md, fmi_type=kind)
        except Exception as error:  # of FMPy or of loading
            raise ValueError(f"{self.label}: its binary cannot be started: {error}") from error
        if self.md.fmiVersion == "2.0":
            fmu.setupExperiment(startTime=0.0)
        for name, value in values.items():
            self._assign(fmu, name, value)
        if self.md.fmiVersion == "2.0":
            fmu.enterInitializationMode()
        else:
            fmu.enterInitializationMode(startTime=0.0)
        self.write(fmu, self.inputs, inputs)
        fmu.exitInitializationMode()
        return fmu

    def _assign(self, fmu, name, value):
        if name not in self.names:
            raise ValueError(f"{self.label}: no variable \"{name}\"; it has: {', '.join(sorted(self.names)[:20])}")
        v = self.names[name]
        kind = {"Enumeration": "Integer" if self.md.fmiVersion == "2.0" else "Int64"}.get(str(v.type), str(v.type))
        try:
            values = self._as(v, kind, value)
        except ValueError:
            raise ValueError(f"{self.label}: {name} is of type {v.type}, not \"{value}\"") from None
        count = self.count(v)
        values = values * count if len(values) == 1 else values
        if len(values) != count:
            raise ValueError(f"{self.label}: {name} has {count} elements, not {len(values)}")
        getattr(fmu, f"set{kind}")([v.valueReference], values)

    @staticmethod
    def _as(variable, kind, value):
        """A value, or a text with several, as a variable's type has it."""
        values = value.split() if isinstance(value, str) and kind != "String" else np.ravel(value).tolist()
        if kind in ("Real", "Float64", "Float32"):
            return [float(x) for x in values]
        if kind == "String":
            return [str(x) for x in values]
        if kind == "Boolean":
            if any(str(x).lower() not in ("true", "false", "1", "0") for x in values):
                raise ValueError(value)
            return [str(x).lower() in ("true", "1") for x in values]
        items = {i.name: i.value for i in variable.declaredType.items} if variable.declaredType is not None else {}
        return [int(items.get(x, x)) for x in values]

    def write(self, fmu, signals, values):
        set_real = fmu.setReal if self.md.fmiVersion == "2.0" else fmu.setFloat64
        at = 0
        while at < len(signals):
            count = signals[at].count
            set_real([signals[at].variable.valueReference], [float(v) for v in values[at:at + count]])
            at += count

    def read(self, fmu, signals):
        out, at = [], 0
        while at < len(signals):
            s = signals[at]
            if self.md.fmiVersion == "2.0":
                out += fmu.getReal([s.variable.valueReference])
            else:
                out += fmu.getFloat64([s.variable.valueReference], nValues=s.count)
            at += s.count
        return np.array(out, dtype=float)

    def states(self):
        """Those that a derivative belongs to."""
        for d in self.md.derivatives:
            if d.variable.derivative is None:
                raise Refused(f"{self.label}: {d.variable.name} is the derivative of nothing")
        return [s for d in self.md.derivatives for s in self.elements(d.variable.derivative)]

    def start(self, inputs):
        """Values of the inputs: those given by name, else their start values."""
        return np.array([float(inputs.get(s.name, s.start)) for s in self.inputs])


@contextlib.contextmanager
def _named(fmu):
    """Failed calls of an FMU become ValueErrors that name it, with what it has said at last."""
    from fmpy.fmi1 import FMICallException
    fmu.tell()
    try:
        with contextlib.redirect_stdout(fmu.said):
            yield
    except FMICallException as error:
        raise ValueError(f"{fmu.label}: {error}{': ' if fmu.said.line else ''}{fmu.said.line}") from error


class _Exchange:
    """Derivatives and outputs of a model-exchange FMU as functions of states and inputs."""

    def __init__(self, fmu, values, u0, states, time):
        self.fmu = fmu
        self.states, self.rates = fmu.states(), [s for d in fmu.md.derivatives for s in fmu.elements(d.variable)]
        self.n = len(self.states)
        if self.n > MOST or len(self.rates) != self.n:
            raise Refused(f"{fmu.label}: {self.n} states with {len(self.rates)} derivatives; want as many, at most {MOST}")
        self.it = fmu.instance("ModelExchange", values, u0)
        self._settle()
        if time is not None:
            self.it.setTime(time)
        self.vector = (c_double * max(self.n, 1))()
        if self.n:
            self.it.getContinuousStates(self.vector, self.n)
        self.x0 = np.array(self.vector[:self.n]) if states is None else np.array([states[s.name] for s in self.states])
        self.u0 = u0

    def _settle(self):
        """Events at the start, then continuous time."""
        for _ in range(100):
            if self.fmu.md.fmiVersion == "2.0":
                needed, ended = self.it.newDiscreteStates()[:2]
            else:
                needed, ended = self.it.updateDiscreteStates()[:2]
            if ended:
                raise ValueError(f"{self.fmu.label}: ends at its initialisation")
            if not needed:
                break
        else:
            raise ValueError(f"{self.fmu.label}: its events at the start do not come to an end")
        self.it.enterContinuousTimeMode()

    def at(self, x, u):
        """Derivatives and outputs."""
        if self.n:
            self.vector[:self.n] = [float(v) for v in x]
            self.it.setContinuousStates(self.vector, self.n)
        self.fmu.write(self.it, self.fmu.inputs, u)
        outputs = self.fmu.read(self.it, self.fmu.outputs)  # first: those of OpenModelica are not computed anew after rates
        return np.concatenate([self._rates(), outputs])

    def _rates(self):
        if not self.n:
            return np.zeros(0)
        if self.fmu.md.fmiVersion == "2.0":
            self.it.getDerivatives(self.vector, self.n)
        else:
            self.it.getContinuousStateDerivatives(self.vector, self.n)
        return np.array(self.vector[:self.n])

    def size(self, z):
        nominal = [s.nominal for s in self.states + self.fmu.inputs]
        return np.maximum(np.abs(z), nominal)

    def differences(self, z):
        """The Jacobian at z = (x, u) by central differences."""
        step = DIFFERENCE * self.size(z)
        columns = []
        for k, h in enumerate(step):
            ends = []
            for sign in (1, -1):
                there = z.copy()
                there[k] += sign * h
                ends.append((there[k], self.at(there[:self.n], there[self.n:])))
            columns.append((ends[0][1] - ends[1][1]) / (ends[0][0] - ends[1][0]))
        rows = self.n + len(self.fmu.outputs)
        return np.array(columns).T if columns else np.zeros((rows, 0))

    def given(self, z):
        """The same by directional derivatives; None where the FMU has none."""
        whole = self.rates + self.fmu.outputs
        known = self.states + self.fmu.inputs
        if not self.fmu.gives_directions or not known or not whole:
            return None
        self.at(z[:self.n], z[self.n:])
        first, length = {}, 0  # where an unknown's values begin, of which one may be in `whole` twice
        for s in whole:
            if s.variable.valueReference not in first:
                first[s.variable.valueReference] = length
                length += s.count
        rows = [first[s.variable.valueReference] + s.index for s in whole]
        more = {} if self.fmu.md.fmiVersion == "2.0" else {"nSensitivity": length}
        columns = [self.it.getDirectionalDerivative(list(first), [s.variable.valueReference],
                                                    [float(i == s.index) for i in range(s.count)], **more) for s in known]
        out = np.array(columns, dtype=float).T[rows]
        places = {(s.variable.valueReference, s.index): i for i, s in enumerate(self.states)}
        for i, s in enumerate(self.fmu.outputs):
            place = places.get((s.variable.valueReference, s.index))
            if place is not None:  # several FMUs give 0 there
                out[self.n + i] = np.eye(1, len(known), place)
        return out

    def jacobian(self, z):
        own, differences = self.given(z), self.differences(z)
        if own is None:
            return differences
        scale = np.abs(differences).max(axis=1, initial=0)[:, None]
        if (np.abs(own - differences) > AGREE * scale + 1e-12).any():
            self.fmu.warnings.append(f"{self.fmu.label}: its directional derivatives are not those of its equations; "
                                     "differences are taken")
            return differences
        return own

    def check_linear(self, z, jacobian):
        """Warns where the Jacobian nearby is another one."""
        most = 0.0
        for sign in (1, -1):
            there = self.differences(z + sign * NEARBY * self.size(z))
            scale = np.maximum(np.abs(jacobian).max(axis=1, initial=0), np.abs(there).max(axis=1, initial=0))[:, None]
            change = np.abs(there - jacobian) / np.where(scale > 0, scale, 1)
            most = max(most, change.max(initial=0))
        if most > NEARBY:
            self.fmu.warnings.append(f"{self.fmu.label}: nonlinear: derivatives change by {100 * most:.2g} % for changes "
                                     "of 1 %; the study holds near t = 0")


def _close(instance):
    with contextlib.suppress(Exception):
        instance.terminate()
    with contextlib.suppress(Exception):
        instance.freeInstance()


def _parts(fmu, states, x0, u0, A, B, C, D, e=None, f=None):
    """As JSON files of matrices have them."""
    sides = {"State": states, "Input": fmu.inputs, "Output": fmu.outputs}
    return {"A": A, "B": B, "C": C, "D": D, "x0": x0, "u0": u0,
            "e": np.zeros(len(x0)) if e is None else e, "f": np.zeros(len(fmu.outputs)) if f is None else f,
            **{key + "Name": [fmu.shown(s.name) for s in signals] for key, signals in sides.items()},
            **{key + "Unit": [s.unit for s in signals] for key, signals in sides.items()}}


def advance(fmus, values, inputs, end, step, exchange):
    """States, by name, of every open Fmu after a co-simulation up to the time `end` in steps of `step` s, the last one
    shorter if need be: exchange(outputs) gives all inputs anew at each communication point, both lists of arrays."""
    running = []
    try:
        for fmu, v, u in zip(fmus, values, inputs):
            with _named(fmu):
                running.append(fmu.instance("CoSimulation", v, u))
        for k in range(max(1, math.ceil(end / step * (1 - 1e-12)))):
            outputs = []
            for fmu, it in zip(fmus, running):
                with _named(fmu):
                    outputs.append(fmu.read(it, fmu.outputs))
            inputs = exchange(outputs)
            for fmu, it, u in zip(fmus, running, inputs):
                with _named(fmu):
                    fmu.write(it, fmu.inputs, u)
                    it.doStep(currentCommunicationPoint=k * step, communicationStepSize=min(step, end - k * step))
        states = []
        for fmu, it in zip(fmus, running):
            signals = fmu.states()
            with _named(fmu):
                states.append(dict(zip([s.name for s in signals], fmu.read(it, signals))))
        return states
    finally:
        for it in running:
            _close(it)


def check_at(label, at, step, exchange):
    """Raises ValueError where the point of operation at a time cannot be reached, or states not be set there."""
    if at is not None and step is None:
        raise ValueError(f"{label}: --at {at:g} needs --step, the size of the steps up to there (s)")
    if at is not None and not exchange:
        raise ValueError(f"{label}: a black box: its states cannot be set to those at {at:g} s")


def linearize(fmu, values=(), inputs=(), states=None, time=None):
    """The matrices of an open Fmu by model exchange, at its initial values or at `states` (by name) and a time, after
    parameters `values` and with `inputs`, both by name."""
    with _named(fmu):
        return _linearize(fmu, dict(values), fmu.start(dict(inputs)), states, time)


def _linearize(fmu, values, u0, states, time):
    model = _Exchange(fmu, values, u0, states, time)
    try:
        n, z = model.n, np.concatenate([model.x0, u0])
        if fmu.md.numberOfEventIndicators:
            fmu.warnings.append(f"{fmu.label}: event indicators: {fmu.md.numberOfEventIndicators}; its events are not "
                                "imported")
        jacobian = model.jacobian(z)
        model.check_linear(z, jacobian)
        rest = model.at(model.x0, u0) - jacobian @ z
        size = np.abs(jacobian) @ np.abs(z) + np.abs(model.at(model.x0, u0))
        rest[np.abs(rest) <= 1e-13 * size] = 0  # rounding
        A, B, C, D = jacobian[:n, :n], jacobian[:n, n:], jacobian[n:, :n], jacobian[n:, n:]
        return _parts(fmu, model.states, model.x0, u0, A, B, C, D, rest[:n], rest[n:])
    finally:
        _close(model.it)


# ---- black boxes

def _response(fmu, values, u0, step, pulse=None):
    """Outputs after each of SAMPLES steps, with an input (number, amount) raised during the first."""
    it = fmu.instance("CoSimulation", values, u0)
    try:
        out = []
        for k in range(SAMPLES):
            u = u0.copy()
            if pulse is not None and k == 0:
                u[pulse[0]] += pulse[1]
            fmu.write(it, fmu.inputs, u)
            it.doStep(currentCommunicationPoint=k * step, communicationStepSize=step)
            out.append(fmu.read(it, fmu.outputs))
        return np.array(out)
    finally:
        _close(it)


def _logarithm(matrix, label):
    from scipy.linalg import logm
    with contextlib.redirect_stdout(None):
        out = logm(matrix) if np.isfinite(matrix).all() else matrix
    if np.abs(out.imag).max(initial=0) > 1e-6 * np.abs(out).max(initial=1) or not np.isfinite(out).all():
        raise ValueError(f"{label}: h is too long for the fastest mode")
    return out.real


def _order(label, singular, states):
    """Number of states, and the next singular value as a ratio."""
    if singular.size == 0 or singular[0] == 0:
        return 0, 0.0
    n = int(states) if states is not None else int((singular > NOISE * singular[0]).sum())
    if not 0 < n < singular.size:
        raise ValueError(f"{label}: no order stands out: nonlinear or noisy")
    ratio = singular[n] / singular[n - 1]
    if states is None and ratio > GAP:
        raise ValueError(f"{label}: no order stands out: nonlinear or noisy (order {n}, next singular value {ratio:.2g} "
                         "of the last)")
    return n, ratio


def identify(fmu, step=None, states=None, values=(), inputs=()):
    """The matrices of an open Fmu by its responses to initial values and pulses, with steps of `step` s, at best a tenth
    of its shortest time constant; `states`: how many, chosen by itself if None."""
    try:
        import scipy  # noqa: F401
    except ImportError:
        raise ImportError(f"{fmu.label}: identification needs scipy: pip install cosweep[fmi]") from None
    experiment = fmu.md.defaultExperiment
    if not step and experiment is not None and experiment.stepSize:
        step = number(experiment.stepSize, f"{fmu.label}: step size of its default experiment")
    if not step or step < 0:
        raise ValueError(f"{fmu.label}: a black box without a step size in its default experiment; want --step H, a tenth "
                         "to a half of its shortest time constant (s)")
    if not fmu.outputs:
        raise ValueError(f"{fmu.label}: no outputs of Real variables that are continuous or discrete")
    try:
        with _named(fmu), np.errstate(all="ignore"):
            return _identify(fmu, step, states, dict(values), fmu.start(dict(inputs)))
    except np.linalg.LinAlgError as error:
        raise ValueError(f"{fmu.label}: no order stands out: nonlinear or noisy ({error})") from error


def _identify(fmu, step, states, values, u0):
    m, p = len(fmu.inputs), len(fmu.outputs)
    zero = np.zeros(m)  # what inputs add is B u0, not x0
    free = _response(fmu, values, zero, step)
    columns = []
    for k, s in enumerate(fmu.inputs):
        amount = max(PULSE * s.nominal, 1e-6)
        columns.append((_response(fmu, values, zero, step, (k, amount)) - free) / amount)
    answers = np.stack(columns + [free], axis=2)  # [sample][output][column]: C A^k [B, A x0], in the first also D
    if not np.isfinite(answers).all():
        raise ValueError(f"{fmu.label}: outputs that are no numbers, of steps of {step:g} s")
    scale_y = np.where((s := np.abs(answers[1:]).max(axis=(0, 2))) > 0, s, 1)
    scale_u = np.where((s := np.abs(answers[1:] / scale_y[:, None]).max(axis=(0, 1))) > 0, s, 1)
    markov = answers / scale_y[:, None] / scale_u
    hankel = [np.block([[markov[1 + i + k + late] for k in range(BLOCKS)] for i in range(BLOCKS)]) for late in (0, 1)]
    left, singular, right = np.linalg.svd(hankel[0])
    n, ratio = _order(fmu.label, singular, states)
    fmu.warnings.append(f"{fmu.label}: identified with {n} states; the next singular value is {ratio:.1e} of the last")
    if fmu.md.modelExchange is not None:
        fmu.warnings.append(f"{fmu.label}: has model exchange, whose matrices are more exact: --step H in place of "
                            "--identify H takes only those without it as black boxes")
    root = np.sqrt(singular[:n])
    observed, reached = left[:, :n] * root, root[:, None] * right[:n]
    Ad = (left[:, :n] / root).T @ hankel[1] @ (right[:n].T / root)
    C = observed[:p] * scale_y[:, None]
    first = np.linalg.solve(Ad, reached[:, :m + 1] * scale_u) if n else np.zeros((0, m + 1))
    Bd, x0 = first[:, :m], np.linalg.solve(Ad, first[:, m]) if n else first[:, m]
    D = answers[0][:, :m] - C @ Bd
    D[np.abs(D) <= 1e-9 * (np.abs(answers[:, :, :m]).max(axis=(0, 2), initial=0)[:, None] + 1e-300)] = 0
    whole = np.block([[Ad, Bd], [np.zeros((m, n)), np.eye(m)]])
    A, B = np.split(_logarithm(whole, fmu.label)[:n] / step, [n], axis=1)
    parts = _parts(fmu, [], x0, u0, A, B - 0.0, C, D)
    return {**parts, "StateName": [f"x{i + 1}" for i in range(n)], "StateUnit": [""] * n}


def read(path, values=(), inputs=(), step=None, states=None, black_box=False, at=None, tell=None):
    """The matrices of an FMU file and warnings: by model exchange, or as a black box where it has none or it is wanted.

    at: the FMU is first run up to that time (s), with its inputs held, in steps of `step` s. tell: as of Fmu."""
    with Fmu(path, black_box, tell=tell) as fmu:
        check_at(fmu.label, at, step, fmu.exchange)
        if fmu.exchange and at is not None:
            u0 = fmu.start(dict(inputs))
            reached = advance([fmu], [dict(values)], [u0], at, step, lambda _: [u0])[0]
            return linearize(fmu, values, inputs, reached, at), fmu.warnings
        if fmu.exchange:
            return linearize(fmu, values, inputs), fmu.warnings
        if fmu.md.coSimulation is None:
            raise ValueError(f"{fmu.label}: neither model exchange nor co-simulation")
        return identify(fmu, step, states, values, inputs), fmu.warnings
