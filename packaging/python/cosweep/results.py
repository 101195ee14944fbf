"""Sweeps, their results, and what is said of them."""

import json
import os
import re
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from .answers import Answer, Explanation, Figure, Page, Recommendation, Text, words_with
from .program import Error, call, new_folder, plain, save_model, shows_progress, words_of

_OPTIONS = {"device", "lanes", "tile_runs", "memory", "no_fragments", "set", "force", "resume", "fresh", "journal", "shard",
            "complete"}


# ---- axes

def axis(path, values, unit=None):
    """An axis of a sweep: the values of a setting, or of several settings alike where path is a list."""
    out = {"path": path} if isinstance(path, str) else {"paths": list(path)}
    return {**out, "values": plain(values), **({"unit": unit} if unit else {})}


def zip_axis(values):
    """An axis along which several settings move together: {path: values}."""
    return {"zip": {path: plain(items) for path, items in values.items()}}


def sample(over, count, design="lhs", seed=0):
    """An axis of points drawn between both ends, {path: (low, high)}, or {path: {"log": (low, high)}}; design: "lhs",
    "sobol" or "random"."""
    return {"sample": {design: int(count), "seed": int(seed), "over": plain(over)}}


def _axes_of(axes):
    if isinstance(axes, (list, tuple)):
        return axes
    if not isinstance(axes, Mapping):
        raise TypeError(f"axes: {type(axes).__name__}; want {{name: cosweep.axis(path, values)}}")
    for name, value in axes.items():
        if not isinstance(value, Mapping):
            raise TypeError(f"axes[\"{name}\"]: {type(value).__name__}; want cosweep.axis(path, values)")
    return [{"name": name, **value} for name, value in axes.items()]


# ---- datasets

def _name_of(model):
    """The name of a Network, of the dict of a model file, or of its file."""
    if isinstance(model, (str, os.PathLike)):
        try:
            model = json.loads(Path(model).read_text(encoding="utf-8-sig"))
        except (OSError, ValueError):
            return None
    name = getattr(model, "name", None) or (model.get("name") if isinstance(model, Mapping) else None)
    return name if isinstance(name, str) and re.fullmatch(r"[A-Za-z]\w*", name) else None


def _tidy(dataset, path):
    """Short labels, units beside the signals, whole settings of methods as such."""
    for name, variable in dataset.variables.items():
        said = variable.attrs
        said.pop("DIMENSION_LABELS", None)
        said["description"] = str(said.get("long_name", ""))
        said["long_name"] = str(name).replace("_", " ") if name not in dataset.dims else str(name)
        if str(said.get("units", "")).startswith("see ") or said.get("units") == "":
            said.pop("units", None)
        variable.encoding = _origin(path)  # alone: chunks of the file would not fit a selection
    for name in dataset.dims:
        if name in dataset.coords and dataset[name].dtype.kind == "f":
            values, said = dataset[name].values, dataset[name].attrs
            if said["description"].startswith("method.") and said.get("units") == "1" and (values == np.round(values)).all():
                dataset = dataset.assign_coords({name: (name, values.astype(int), said)})
    dataset = dataset.set_coords([name for name in dataset.data_vars if str(name).endswith("_units")])
    stable = _stable(dataset)
    if stable is not None:
        dataset = dataset.assign_coords(stable=stable)
    dataset.encoding = {**_origin(path), "sizes": dict(dataset.sizes)}
    return dataset


def _stable(dataset):
    """Whether each run succeeded, decays and has errors below its signals, as far as its numbers tell; None: they do not."""
    if "stable" in dataset or "status" not in dataset:
        return None
    known = []
    if "spectral_radius" in dataset:
        known.append(dataset.spectral_radius <= 1 + 1e-9)
    if "output_error_relative" in dataset:
        known.append((dataset.output_error_relative <= 1).all("output"))
    elif "output_error" in dataset and "output_exact" in dataset:
        known.append((dataset.output_error <= dataset.output_exact).all("output"))
    if not known:
        return None
    stable = (dataset.status == 0) & known[0] & known[-1]
    stable.attrs = {"long_name": "stable", "description": "whether the run succeeded, its step does not grow and its errors "
                    "are below the signals, as far as the file tells"}
    stable.encoding = dict(dataset.status.encoding)
    return stable


def _origin(path):
    """The file of a dataset, as it is now."""
    return {"source": str(path), "written": os.stat(path).st_mtime_ns}


def open_result(path):
    """A result or a trace as Dataset, in memory."""
    import xarray  # takes a second, which import has no need of
    with xarray.open_dataset(path, engine="h5netcdf") as file:
        return _tidy(file.load(), path)


def source(result):
    """The file of a result: that of a Dataset or a DataArray of it, or itself."""
    origin = getattr(result, "encoding", {"source": result})
    path = origin.get("source")
    if not isinstance(path, (str, os.PathLike)):
        raise ValueError("the dataset does not come from cosweep; want one of run, stability or trace, or a path")
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path}: no such file, from which the dataset came; run(..., out=path) keeps it")
    if origin.get("written", 0) not in (0, os.stat(path).st_mtime_ns):
        raise ValueError(f"{path}: was written again since the dataset was read; give the path, or read it again")
    return path


def _whole(result):
    """The same of a result of which nothing was chosen."""
    path = source(result)
    sizes = getattr(result, "encoding", {}).get("sizes", {})
    if any(result.sizes.get(dim) != size for dim, size in sizes.items()) or not hasattr(result, "data_vars") and \
            hasattr(result, "encoding"):
        raise ValueError(f"this is a part of {path}; want the whole result, or its path")
    return path


def provenance(result):
    """How a result was made: texts of model, sweep and kernels, device, versions, times, as a dict."""
    import xarray
    with xarray.open_dataset(source(result), engine="h5netcdf", group="provenance") as file:
        return {**{str(k): v for k, v in file.attrs.items()}, **{str(k): v.values.tolist() for k, v in file.variables.items()}}


def sweep(result):
    """The sweep of a result as it was run, as a dict."""
    return json.loads(provenance(result)["sweep"])


# ---- running

def _write_sweep(model, axes, place, settings):
    """A sweep file, and the options among the settings."""
    path = save_model(model, place)
    content = {"format": "cosweep-sweep/1", "name": settings.pop("name", None) or _name_of(model) or "python",
               "model": path.name if path.parent == place else str(path),  # the same each time, as journals want it
               "axes": _axes_of(axes),
               **{key: value for key, value in settings.items() if value is not None}}
    options = {key: content.pop(key) for key in _OPTIONS & set(content)}
    (place / "sweep.json").write_text(json.dumps(plain(content), indent=1), encoding="utf-8")
    return place / "sweep.json", options


def _sweep(command, model, axes, out, words, settings):
    __tracebackhide__ = True
    place = new_folder()
    progress = settings.pop("progress", None)
    progress = command == "run" and (shows_progress() if progress is None else progress)
    path, options = _write_sweep(model, axes, place, settings)
    result = Path(out) if out is not None else place / "result.h5"
    quiet = [] if progress else ["--quiet"]
    # 1: no run succeeded, which the result says; where there is none it is an error
    said, told, status = call([command, path, "-o", result, *quiet, *words, *words_of(options)], place, progress, (0, 1))
    if status == 1 and not result.exists():
        raise Error(told, status)
    if told:
        warnings.warn(told, stacklevel=3)
    return open_result(result) if options.get("shard") is None else Path(said.splitlines()[-1])


def run(model, axes=(), method=None, metrics=None, study="simulation", t_end=None, out=None, **settings):
    """Runs a sweep; returns its result as xarray.Dataset. What the program says beside it is warned of.

    model: a Network, the dict of a model file, or its path. axes: {name: axis(...)}, or the list of a sweep file.
    settings: further keys of sweep files (parameters, fits, skip, ...) and options of `cosweep run`: device, lanes,
    tile_runs, memory, no_fragments, set={path: value}, force, resume, fresh, journal, shard. out: the file in which the
    result stays. shard: "1/4", and what is returned is the path of its journal, for merge. progress: whether tqdm shows
    it; by itself on terminals and in notebooks, where there is tqdm. Raises Error."""
    __tracebackhide__ = True
    return _sweep("run", model, axes, out, [], dict(settings, method=method, metrics=metrics, study=study, t_end=t_end))


def merge(model, axes=(), method=None, metrics=None, study="simulation", t_end=None, out=None, **settings):
    """The result of the shards that run(..., shard="1/4", out=out) and the others have left; complete=True computes what
    is missing."""
    __tracebackhide__ = True
    return _sweep("merge", model, axes, out, [], dict(settings, method=method, metrics=metrics, study=study, t_end=t_end))


def stability(model, axes=(), method=None, metrics=None, out=None, **settings):
    """Runs a sweep of study stability."""
    __tracebackhide__ = True
    return _sweep("run", model, axes, out, [], dict(settings, method=method, metrics=metrics, study="stability"))


def trace(model, method=None, t_end=None, axes=(), at=None, out=None, **settings):
    """The time series of one run; at: {axis: value} where there are axes of several values."""
    __tracebackhide__ = True
    words = [word for name, value in (at or {}).items() for word in ("--at", f"{name}={value}")]
    return _sweep("trace", model, axes, out, words, dict(settings, method=method, t_end=t_end))


def check(model, axes=None, method=None, metrics=None, study="simulation", t_end=None, **settings):
    """What `cosweep check` says of a model, or of the sweep that run would run with the same arguments."""
    __tracebackhide__ = True
    place = new_folder()
    if axes is None and method is None:
        return Text(call(["check", save_model(model, place)], place)[0].rstrip())
    settings = dict(settings, method=method, metrics=metrics, study=study, t_end=t_end)
    path, options = _write_sweep(model, axes or (), place, settings)
    return Text(call(["check", path, *words_of(options)], place)[0].replace(f"{place}/", "").rstrip())


# ---- of models

def explain(model, **options):
    """What `cosweep explain` says, as a dict that shows itself. options: H, for_, can, steps, set={path: value}, device."""
    __tracebackhide__ = True
    place = new_folder()
    return Explanation(words_with("explain", [save_model(model, place), "--quiet"], options), place)


def recommend(model, error=None, **options):
    """The cheapest settings for a relative error, of a nonlinear model, without `error`, those with the largest stable
    steps, as the dict of the JSON of `cosweep recommend`; "sweep" holds what run(model, **sweep) takes. options: t_end, signal, cost, can, set={path: value}, device."""
    __tracebackhide__ = True
    place = new_folder()
    out = place / "recommended.json"
    wish = ["--error", error] if error is not None else []
    words = words_with("recommend", [save_model(model, place), *wish, "-o", out, "--quiet"], options)
    found = Recommendation(json.loads(call([*words, "--json"], place)[0]))
    content = json.loads(out.read_text(encoding="utf-8"))
    found["sweep"] = {key: value for key, value in content.items() if key not in ("format", "model")}
    return found


# ---- of results

def _chosen(dataset, path):
    """What a dataset has of its file, as the program chooses it: {axis: values}, and metrics, None for all. Raises
    ValueError where it is no selection."""
    whole = open_result(path)
    if "t" in whole.dims and any(dataset.sizes.get(dim) != size for dim, size in whole.sizes.items()):
        raise ValueError("this is a part of a trace; want the whole: metric=, signal= and xrange= of plot choose")
    names = [name for name in dataset.data_vars if name in whole]
    dims = {dim for name in names for dim in whole[name].dims}
    left = ", ".join(sorted(str(dim) for dim in dims if dim not in dataset.coords))
    if left:
        raise ValueError(f"the dataset has no {left}, its file has; want what cosweep has computed, or selections of it "
                         "(sel, isel)")
    where = {dim: np.atleast_1d(dataset[dim].values) for dim in whole.dims
             if dim in dims and dataset.sizes.get(dim) != whole.sizes[dim]}
    if any(not np.isin(dataset[dim].values, whole[dim].values).all() for dim in dims):
        raise ValueError("the dataset has other coordinates than its file; want what cosweep has computed")
    for name, variable in dataset.data_vars.items():
        there = whole[name].sel({dim: dataset[dim].values for dim in whole[name].dims}) if name in names else None
        if there is None or not variable.transpose(*there.dims).drop_vars(variable.coords).equals(there.drop_vars(there.coords)):
            raise ValueError(f"{name} has other values than in the file of the dataset; want what cosweep has computed")
    metrics = [name for name in sweep(path).get("metrics", []) if name in whole]
    kept = [name for name in names if name in metrics] or names
    return where, kept if any(name not in dataset for name in metrics) else None


def _where(given):
    """{axis: values} of that, or of texts "axis=value"."""
    if isinstance(given, Mapping):
        return given
    out = {}
    for item in [given] if isinstance(given, str) else given:
        name, _, value = item.partition("=")
        out.setdefault(name, []).append(value)
    return out


def _choose(dataset, options):
    """Adds to the options what chooses as much of the dataset's file as it has; whether that is a part."""
    where, metrics = _chosen(dataset if hasattr(dataset, "data_vars") else dataset.to_dataset(name=dataset.name),
                             source(dataset))
    options["where"] = {**where, **_where(options.get("where", {}))}
    options["metric"] = options.get("metric", metrics)
    return bool(where or metrics)


def plot(result, *more, **options):
    """A figure of a Dataset of run, stability or trace, of a selection of it, or of a result file; more of them are laid
    over each other. options: those of `cosweep plot`, where={axis: value or values}."""
    __tracebackhide__ = True
    files = []
    for one in (result, *more):
        files.append(Path(source(one)).resolve())
        if hasattr(one, "encoding") and _choose(one, options) and more:
            raise ValueError("several results are laid over each other whole; where= and metric= choose")
    return Figure(words_with("plot", files, options))


def info(result):
    """What `cosweep info` says, as the dict of its JSON."""
    __tracebackhide__ = True
    return Answer(["info", _whole(result)])


def rank(result, metric, **options):
    """What `cosweep info --rank` says: Pareto front, ranks at equal error and at equal cost, as the dict of its JSON.
    options: cost, signal, at={axis: value}, error, budget."""
    __tracebackhide__ = True
    return Answer(words_with("info", [_whole(result), "--rank", metric], options))


def compare(first, second, tolerance=None):
    """What differs between two results, as the dict of the JSON of `cosweep compare`."""
    __tracebackhide__ = True
    words = words_with("compare", [_whole(first), _whole(second)], {"tolerance": tolerance})
    return Answer(words, accept=(0, 1))


def report(result, path=None):
    """The page of `cosweep report`, which notebooks show, also written to a path if given."""
    __tracebackhide__ = True
    out = new_folder() / "page.html"
    call(["report", _whole(result), "-o", out])
    page = Page(out.read_text(encoding="utf-8"))
    if path is not None:
        page.save(path)
    return page


def explore(result, other=None, path=None, **options):
    """The page of `cosweep explore` of a result, a selection of it or a result file, which notebooks show; `other`, over
    the same axes: of both. options: where={axis: value or values}, metric, trace="best,worst". Written to a path if given."""
    __tracebackhide__ = True
    files = [Path(source(one)).resolve() for one in (result, other) if one is not None]
    if hasattr(result, "encoding"):
        _choose(result, options)
    out = new_folder() / "page.html"
    call([*words_with("explore", files, options), "-o", out])
    page = Page(out.read_text(encoding="utf-8"), scripts=True)
    if path is not None:
        page.save(path)
    return page


def export(what, path, **options):
    """Writes a result for other programs (.csv, .mat, .xmf), or a model as FMUs (.ssp, or a folder with format="fmu" or
    "osp"). options: format, metric, where={axis: value}, group, step, force. Returns the path."""
    __tracebackhide__ = True
    result = hasattr(what, "encoding") or str(what).endswith(".h5")
    place = new_folder()
    if hasattr(what, "encoding"):
        _choose(what, options)
    formats = {".csv": "csv", ".mat": "matlab", ".xmf": "xdmf", ".ssp": "ssp"}
    options.setdefault("format", formats.get(Path(path).suffix, "csv" if result else "fmu"))
    call(words_with("export", [source(what) if result else save_model(what, place), "-o", path], options), place)
    return Path(path)
