/* XDMF 2 (xdmf.org): lets ParaView and VisIt read the arrays of the result file as maps and curves. A grid is a
 * rectilinear mesh over up to three numeric axes, one grid per combination of values of the other axes, with an
 * attribute for every array and signal. All grids are in one collection because ParaView 5.11 misreads the coordinates
 * of a single grid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"

enum { MESH = 3, MOST_ATTRIBUTES = 20000 };

struct xdmf {
  const struct cs_export *export;
  const char *reference;
  struct cs_text *text;
  size_t mesh[MESH], meshes;   /* dimensions of the mesh, slowest first */
  size_t *choice, choices;     /* [choices] the other axes */
  const struct cs_array **map; /* [maps] arrays over all of the mesh */
  size_t maps;
  size_t *position; /* [table->dimensions] of the grid and the signal */
};

/* ---- texts */

static void add_value(struct cs_text *text, const struct cs_dimension *dimension, size_t at) {
  if (dimension->labels != NULL)
    cs_text_add_xml(text, dimension->labels[at]);
  else
    cs_text_add(text, "%.6g", dimension->values[at]);
}

/* ---- the mesh */

static const struct cs_dimension *mesh_dimension(const struct xdmf *x, size_t i) {
  return &x->export->table->dimension[x->mesh[i]];
}

static bool is_map(const struct xdmf *x, const struct cs_array *array) {
  if (array->type == CS_TEXT || cs_export_is_place(x->export, array)) return false;
  for (size_t i = 0; i < x->meshes; i++)
    if (!cs_export_lies_over(array, x->mesh[i])) return false;
  return true;
}

static bool any_has(const struct xdmf *x, size_t dimension) {
  for (size_t i = 0; i < x->export->arrays; i++)
    if (!cs_export_is_place(x->export, x->export->array[i]) && cs_export_lies_over(x->export->array[i], dimension))
      return true;
  return false;
}

/* Whether the values are small integers, such as orders, with nothing to draw in between. */
static bool is_counted(const struct cs_dimension *dimension) {
  for (size_t i = 0; i < dimension->length; i++)
    if (dimension->values[i] != floor(dimension->values[i]) || fabs(dimension->values[i]) > 9.0) return false;
  return true;
}

static void take_axes(struct xdmf *x, bool counted) {
  const struct cs_export *export = x->export;
  const struct cs_dimension *dimension = export->table->dimension;
  for (size_t d = 0; d < export->table->dimensions; d++)
    if (export->axis[d] && export->length[d] == dimension[d].length && dimension[d].length > 1 && any_has(x, d) &&
        dimension[d].labels == NULL && is_counted(&dimension[d]) == counted) {
      if (x->meshes == MESH) memmove(x->mesh, x->mesh + 1, (--x->meshes) * sizeof *x->mesh);
      x->mesh[x->meshes++] = d;
    }
}

static bool is_meshed(const struct xdmf *x, size_t dimension) {
  for (size_t i = 0; i < x->meshes; i++)
    if (x->mesh[i] == dimension) return true;
  return false;
}

/* The mesh spans the last numeric axes with several values, all of them selected; small integers only if there are no
 * others. */
static int find_mesh(struct xdmf *x, struct cs_error *error) {
  const struct cs_export *export = x->export;
  if (export->table != export->root)
    return cs_error_set(
        error, CS_USAGE,
        "cosweep export: the points of group %s have no mesh; want --format csv or matlab (see: cosweep "
        "export --help)",
        export->table->name);
  take_axes(x, false);
  if (x->meshes == 0) take_axes(x, true);
  if (x->meshes == 0)
    return cs_error_set(error, CS_USAGE,
                        "cosweep export: no array has an axis of several numbers; want --format csv or matlab "
                        "(see: cosweep export --help)");
  for (size_t i = 0; i < export->arrays; i++)
    if (is_map(x, export->array[i])) x->map[x->maps++] = export->array[i];
  for (size_t d = 0; d < export->table->dimensions; d++) {
    bool used = false;
    for (size_t i = 0; i < x->maps; i++)
      used = used || cs_export_lies_over(x->map[i], d);
    if (used && export->axis[d] && !is_meshed(x, d)) x->choice[x->choices++] = d;
  }
  return CS_OK;
}

/* Whether the values are logarithmically spaced over at least a decade; the mesh then has their logarithms. */
static bool is_logarithmic(const struct cs_dimension *dimension) {
  const double *v = dimension->values;
  const size_t n = dimension->length;
  if (n < 3 || !(v[0] > 0.0) || !(v[n - 1] > 0.0) || !(fabs(log(v[n - 1] / v[0])) >= 0.999 * log(10.0))) return false;
  for (size_t i = 1; i < n; i++)
    if (!(fabs(log(v[i] / v[i - 1]) * (double)(n - 1) / log(v[n - 1] / v[0]) - 1.0) < 1e-2)) return false;
  return true;
}

/* "result.h5:/name" */
static void add_dataset(const struct xdmf *x, const char *name) {
  cs_text_add_xml(x->text, x->reference);
  cs_text_add(x->text, ":/");
  cs_text_add_xml(x->text, name);
}

/* Coordinates along x, y or z; a single 0 beyond the mesh. */
static void add_coordinates(const struct xdmf *x, size_t i) {
  struct cs_text *text = x->text;
  if (i >= x->meshes) {
    cs_text_add(
        text, "        <DataItem Dimensions=\"1\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">0</DataItem>\n");
    return;
  }
  const size_t d = x->mesh[x->meshes - 1 - i], count = x->export->length[d];
  const struct cs_dimension *dimension = &x->export->table->dimension[d];
  cs_text_add(text, "        <DataItem Dimensions=\"%zu\" NumberType=\"Float\" Precision=\"8\" Format=\"%s\">", count,
              is_logarithmic(dimension) ? "XML" : "HDF");
  if (is_logarithmic(dimension))
    for (size_t k = 0; k < count; k++) {
      cs_text_add(text, "%s", k > 0 ? " " : "");
      cs_text_add_number(text, log10(dimension->values[k]));
    }
  else
    add_dataset(x, dimension->name);
  cs_text_add(text, "</DataItem>\n");
}

/* "x: log10 H (s), y: dk" */
static void add_legend(const struct xdmf *x) {
  for (size_t i = 0; i < x->meshes; i++) {
    const struct cs_dimension *dimension = mesh_dimension(x, x->meshes - 1 - i);
    cs_text_add(x->text, "%s%c: %s", i > 0 ? ", " : "", "xyz"[i], is_logarithmic(dimension) ? "log10 " : "");
    cs_text_add_xml(x->text, dimension->name);
    if (dimension->unit[0] == '\0' || strcmp(dimension->unit, "1") == 0) continue;
    cs_text_add(x->text, " (");
    cs_text_add_xml(x->text, dimension->unit);
    cs_text_add(x->text, ")");
  }
}

static void add_mesh(const struct xdmf *x) {
  struct cs_text *text = x->text;
  cs_text_add(text, "      <Topology TopologyType=\"3DRectMesh\" Dimensions=\"");
  for (size_t i = MESH; i-- > 0;)
    cs_text_add(text, "%zu%s", i < x->meshes ? x->export->length[x->mesh[x->meshes - 1 - i]] : (size_t)1,
                i > 0 ? " " : "\"/>\n");
  cs_text_add(text, "      <Geometry GeometryType=\"VXVYVZ\">\n");
  for (size_t i = 0; i < MESH; i++)
    add_coordinates(x, i);
  cs_text_add(text, "      </Geometry>\n");
}

/* ---- attributes */

/* Start, stride and count along every dimension of the array. */
static void add_slab(const struct xdmf *x, const struct cs_array *array) {
  struct cs_text *text = x->text;
  cs_text_add(text, "          <DataItem Dimensions=\"3 %zu\" Format=\"XML\">", array->dimensions);
  for (size_t i = 0; i < array->dimensions; i++)
    cs_text_add(text, "%zu ", x->position[array->dimension[i]]);
  for (size_t i = 0; i < array->dimensions; i++)
    cs_text_add(text, " 1");
  cs_text_add(text, " ");
  for (size_t i = 0; i < array->dimensions; i++)
    cs_text_add(text, " %zu", is_meshed(x, array->dimension[i]) ? x->export->length[array->dimension[i]] : 1);
  cs_text_add(text, "</DataItem>\n          <DataItem Dimensions=\"");
  for (size_t i = 0; i < array->dimensions; i++)
    cs_text_add(text, "%s%zu", i > 0 ? " " : "", x->export->table->dimension[array->dimension[i]].length);
  cs_text_add(text, "\" NumberType=\"%s\" Precision=\"%d\" Format=\"HDF\">",
              array->type == CS_FLOAT64 ? "Float"
              : array->type == CS_INT64 ? "Int"
                                        : "UChar",
              array->type == CS_UINT8 ? 1 : 8);
  add_dataset(x, array->name);
  cs_text_add(text, "</DataItem>\n");
}

static void add_attribute(const struct xdmf *x, const struct cs_array *array, const struct cs_dimension *signals,
                          size_t at) {
  struct cs_text *text = x->text;
  cs_text_add(text, "      <Attribute Name=\"");
  cs_text_add_xml(text, array->name);
  if (signals != NULL) {
    cs_text_add(text, " ");
    add_value(text, signals, at);
  }
  cs_text_add(text,
              "\" AttributeType=\"Scalar\" Center=\"Node\">\n        <DataItem ItemType=\"HyperSlab\" Dimensions=\"");
  for (size_t i = MESH; i-- > 0;)
    cs_text_add(text, "%zu%s", i < x->meshes ? x->export->length[x->mesh[x->meshes - 1 - i]] : (size_t)1,
                i > 0 ? " " : "\" Type=\"HyperSlab\">\n");
  add_slab(x, array);
  cs_text_add(text, "        </DataItem>\n      </Attribute>\n");
}

static void add_attributes(const struct xdmf *x, const struct cs_array *array) {
  const struct cs_dimension *signals = cs_export_signals(x->export, array);
  if (signals == NULL) {
    add_attribute(x, array, NULL, 0);
    return;
  }
  const size_t d = (size_t)(signals - x->export->table->dimension);
  do
    add_attribute(x, array, signals, x->position[d]);
  while (cs_export_advance(x->export, 1, &d, x->position));
}

/* ---- the whole */

static void add_grid(const struct xdmf *x) {
  struct cs_text *text = x->text;
  cs_text_add(text, "    <Grid GridType=\"Uniform\" Name=\"");
  for (size_t i = 0; i < x->choices; i++) {
    const struct cs_dimension *dimension = &x->export->table->dimension[x->choice[i]];
    cs_text_add(text, "%s", i > 0 ? ", " : "");
    cs_text_add_xml(text, dimension->name);
    cs_text_add(text, "=");
    add_value(text, dimension, x->position[x->choice[i]]);
  }
  if (x->choices == 0) cs_text_add(text, "all");
  cs_text_add(text, "\">\n      <Information Name=\"axes\" Value=\"");
  add_legend(x);
  cs_text_add(text, "\"/>\n");
  add_mesh(x);
  for (size_t i = 0; i < x->maps; i++)
    add_attributes(x, x->map[i]);
  cs_text_add(text, "    </Grid>\n");
}

static int check_size(const struct xdmf *x, struct cs_error *error) {
  double attributes = 0.0;
  for (size_t i = 0; i < x->maps; i++) {
    const struct cs_dimension *signals = cs_export_signals(x->export, x->map[i]);
    attributes += signals != NULL ? (double)x->export->length[signals - x->export->table->dimension] : 1.0;
  }
  for (size_t i = 0; i < x->choices; i++)
    attributes *= (double)x->export->length[x->choice[i]];
  if (attributes <= MOST_ATTRIBUTES) return CS_OK;
  return cs_error_set(error, CS_USAGE,
                      "cosweep export: %.0f maps are too many for a viewer; want at most %d: choose with --metric "
                      "NAME and --where AXIS=VALUE",
                      attributes, MOST_ATTRIBUTES);
}

static void add_file(struct xdmf *x) {
  const struct cs_export *export = x->export;
  for (size_t d = 0; d < export->table->dimensions; d++)
    x->position[d] = export->first[d];
  cs_text_add(x->text,
              "<?xml version=\"1.0\"?>\n<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n<Xdmf Version=\"2.0\">\n"
              "  <Domain>\n    <Grid GridType=\"Collection\" CollectionType=\"Spatial\" Name=\"runs\">\n");
  do
    add_grid(x);
  while (!x->text->failed && cs_export_advance(export, x->choices, x->choice, x->position));
  cs_text_add(x->text, "    </Grid>\n  </Domain>\n</Xdmf>\n");
}

int cs_export_xdmf(const struct cs_export *export, const char *reference, struct cs_text *text,
                   struct cs_error *error) {
  const size_t dimensions = export->table->dimensions + 1;
  struct xdmf x = {.export = export,
                   .reference = reference,
                   .text = text,
                   .choice = calloc(dimensions, sizeof *x.choice),
                   .map = calloc(export->arrays + 1, sizeof *x.map),
                   .position = calloc(dimensions, sizeof *x.position)};
  int code = x.choice == NULL || x.map == NULL || x.position == NULL ? cs_error_memory(error) : CS_OK;
  if (code == CS_OK) code = find_mesh(&x, error);
  if (code == CS_OK) code = check_size(&x, error);
  if (code == CS_OK) {
    add_file(&x);
    if (text->failed) code = cs_error_memory(error);
  }
  free(x.choice);
  free(x.map);
  free(x.position);
  return code;
}
