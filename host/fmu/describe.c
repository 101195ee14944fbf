#include "describe.h"

#include <string.h>

#include "unit.h"
#include "version.h"

static const char *const begin = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

static void add_attribute(struct cs_text *text, const char *name, const char *value) {
  cs_text_add(text, " %s=\"", name);
  cs_text_add_xml(text, value);
  cs_text_add(text, "\"");
}

static void add_number(struct cs_text *text, const char *name, double value) {
  cs_text_add(text, " %s=\"", name);
  cs_text_add_number(text, value);
  cs_text_add(text, "\"");
}

/* ---- an FMU's variables */

struct part {
  const struct cs_wiring *wiring;
  const struct cs_subsystem *subsystem;
  size_t first, inputs; /* wires */
  struct cs_text *text;
};

enum { INPUT, OUTPUT, STATE, SLOPE, KINDS };

static size_t count_of(const struct part *p, int kind) {
  return kind == INPUT ? p->inputs : kind == OUTPUT ? p->subsystem->outputs : p->subsystem->states;
}

static const char *unit_of(const struct part *p, int kind, size_t i) {
  const struct cs_model *model = p->wiring->model;
  if (kind == INPUT) return cs_wiring_unit(p->wiring, &p->wiring->wire[p->first + i]);
  if (kind == OUTPUT) return model->output[p->subsystem->first_output + i].unit;
  return kind == STATE ? model->state[p->subsystem->first_state + i].unit : "";
}

/* Number of a variable, from 1. */
static size_t index_of(const struct part *p, int kind, size_t i) {
  size_t before = 1;
  for (int k = INPUT; k < kind; k++)
    before += count_of(p, k);
  return before + i;
}

static void begin_variable(const struct part *p, int kind, size_t i, const char *rest) {
  const struct cs_model *model = p->wiring->model;
  const char *form = kind == OUTPUT ? "y.%s" : kind == STATE ? "x.%s" : "der(x.%s)";
  const struct cs_signal *signal =
      kind == OUTPUT ? &model->output[p->subsystem->first_output + i] : &model->state[p->subsystem->first_state + i];
  struct cs_text name = {0};
  if (kind == INPUT)
    cs_text_add(&name, "%s", cs_text_string(&p->wiring->wire[p->first + i].name));
  else
    cs_text_add(&name, form, cs_wiring_name(signal));
  p->text->failed |= name.failed;
  cs_text_add(p->text, "    <ScalarVariable");
  add_attribute(p->text, "name", cs_text_string(&name));
  cs_text_add(p->text, " valueReference=\"%zu\" %s variability=\"continuous\"><Real", index_of(p, kind, i) - 1, rest);
  if (unit_of(p, kind, i)[0] != '\0') add_attribute(p->text, "unit", unit_of(p, kind, i));
  cs_text_free(&name);
}

static void add_variables(const struct part *p) {
  static const char *const rest[KINDS] = {"causality=\"input\"", "causality=\"output\" initial=\"calculated\"",
                                          "causality=\"local\" initial=\"exact\"",
                                          "causality=\"local\" initial=\"calculated\""};
  for (int kind = INPUT; kind < KINDS; kind++)
    for (size_t i = 0; i < count_of(p, kind); i++) {
      begin_variable(p, kind, i, rest[kind]);
      if (kind == INPUT) add_number(p->text, "start", p->wiring->wire[p->first + i].start);
      if (kind == STATE) add_number(p->text, "start", p->wiring->number[CS_X0][p->subsystem->first_state + i]);
      if (kind == SLOPE) cs_text_add(p->text, " derivative=\"%zu\"", index_of(p, STATE, i));
      cs_text_add(p->text, "/></ScalarVariable>\n");
    }
}

static bool stood_before(const struct part *p, int kind, size_t i) {
  for (int k = INPUT; k <= kind; k++)
    for (size_t j = 0; j < (k < kind ? count_of(p, k) : i); j++)
      if (strcmp(unit_of(p, k, j), unit_of(p, kind, i)) == 0) return true;
  return false;
}

static void add_units(const struct part *p) {
  bool any = false;
  for (int kind = INPUT; kind < SLOPE; kind++)
    for (size_t i = 0; i < count_of(p, kind); i++) {
      if (unit_of(p, kind, i)[0] == '\0' || stood_before(p, kind, i)) continue;
      cs_text_add(p->text, "%s<Unit", any ? "" : "  <UnitDefinitions>");
      add_attribute(p->text, "name", unit_of(p, kind, i));
      cs_text_add(p->text, "/>");
      any = true;
    }
  if (any) cs_text_add(p->text, "</UnitDefinitions>\n");
}

/* ---- what depends on what */

static void add_unknowns(const struct part *p, int kind) {
  const bool output = kind == OUTPUT;
  const size_t first = output ? p->subsystem->first_output : p->subsystem->first_state;
  for (size_t i = 0; i < count_of(p, kind); i++) {
    const char *blank = "";
    cs_text_add(p->text, "<Unknown index=\"%zu\" dependencies=\"", index_of(p, kind, i));
    for (size_t j = 0; j < p->inputs; j++)
      if (cs_wiring_by_wire(p->wiring, output ? CS_D : CS_B, first + i, p->first + j) != 0.0) {
        cs_text_add(p->text, "%s%zu", blank, index_of(p, INPUT, j));
        blank = " ";
      }
    for (size_t j = 0; j < p->subsystem->states; j++)
      if (cs_wiring_by_state(p->wiring, output ? CS_C : CS_A, first + i, p->subsystem->first_state + j) != 0.0) {
        cs_text_add(p->text, "%s%zu", blank, index_of(p, STATE, j));
        blank = " ";
      }
    cs_text_add(p->text, "\"/>");
  }
}

static void add_structure(const struct part *p) {
  const bool outputs = p->subsystem->outputs > 0, states = p->subsystem->states > 0;
  cs_text_add(p->text, "  <ModelStructure>\n%s", outputs ? "    <Outputs>" : "");
  add_unknowns(p, OUTPUT);
  cs_text_add(p->text, "%s%s", outputs ? "</Outputs>\n" : "", states ? "    <Derivatives>" : "");
  add_unknowns(p, SLOPE);
  cs_text_add(p->text, "%s%s", states ? "</Derivatives>\n" : "", outputs || states ? "    <InitialUnknowns>" : "");
  add_unknowns(p, OUTPUT);
  add_unknowns(p, SLOPE);
  cs_text_add(p->text, "%s  </ModelStructure>\n", outputs || states ? "</InitialUnknowns>\n" : "");
}

void cs_describe_subsystem(const struct cs_wiring *wiring, size_t subsystem, const char *guid, struct cs_text *text) {
  const struct part p = {.wiring = wiring,
                         .subsystem = &wiring->model->subsystem[subsystem],
                         .first = wiring->first[subsystem],
                         .inputs = wiring->first[subsystem + 1] - wiring->first[subsystem],
                         .text = text};
  cs_text_add(text, "%s<fmiModelDescription fmiVersion=\"2.0\"", begin);
  add_attribute(text, "modelName", p.subsystem->name);
  add_attribute(text, "guid", guid);
  if (p.subsystem->description[0] != '\0') add_attribute(text, "description", p.subsystem->description);
  cs_text_add(text,
              " generationTool=\"cosweep %s\" numberOfEventIndicators=\"0\">\n"
              "  <ModelExchange modelIdentifier=\"%s\" canNotUseMemoryManagementFunctions=\"true\""
              " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\"/>\n"
              "  <CoSimulation modelIdentifier=\"%s\" canHandleVariableCommunicationStepSize=\"true\""
              " canInterpolateInputs=\"true\" maxOutputDerivativeOrder=\"3\""
              " canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\""
              " canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\"/>\n",
              CS_VERSION, CS_DESCRIBE_IDENTIFIER, CS_DESCRIBE_IDENTIFIER);
  add_units(&p);
  cs_text_add(text, "  <DefaultExperiment startTime=\"0\"");
  add_number(text, "stepSize", wiring->step);
  cs_text_add(text, "/>\n  <ModelVariables>\n");
  add_variables(&p);
  cs_text_add(text, "  </ModelVariables>\n");
  add_structure(&p);
  cs_text_add(text, "</fmiModelDescription>\n");
}

/* ---- the whole network */

static const struct cs_subsystem *owner(const struct cs_wiring *wiring, const struct cs_signal *signal) {
  return &wiring->model->subsystem[signal->subsystem];
}

/* A picture: boxes in rows, as many as there are columns, inputs at the left, outputs at the right. */
enum { BOX_WIDTH = 40, BOX_HEIGHT = 30, GAP = 30 };

static size_t columns_of(const struct cs_model *model) {
  size_t columns = 1;
  while (columns * columns < model->subsystems)
    columns++;
  return columns;
}

static void add_connector(struct cs_text *text, const char *name, bool output, const char *unit, double height) {
  struct cs_unit known;
  cs_text_add(text, "          <ssd:Connector name=\"%s\" kind=\"%s\"><ssc:Real", name, output ? "output" : "input");
  if (cs_unit_read(unit, &known)) add_attribute(text, "unit", unit);
  cs_text_add(text, "/><ssd:ConnectorGeometry x=\"%d\"", output);
  add_number(text, "y", height);
  cs_text_add(text, "/></ssd:Connector>\n");
}

static void add_component(const struct cs_wiring *wiring, size_t s, struct cs_text *text) {
  const struct cs_subsystem *subsystem = &wiring->model->subsystem[s];
  const size_t columns = columns_of(wiring->model), inputs = wiring->first[s + 1] - wiring->first[s];
  const size_t x = s % columns * (BOX_WIDTH + GAP);
  const size_t y = ((wiring->model->subsystems - 1) / columns - s / columns) * (BOX_HEIGHT + GAP); /* from below */
  cs_text_add(text,
              "      <ssd:Component name=\"%s\" type=\"application/x-fmu-sharedlibrary\" source=\"resources/%s.fmu\">\n"
              "        <ssd:Connectors>\n",
              subsystem->name, subsystem->name);
  for (size_t i = 0; i < inputs; i++) {
    const struct cs_wire *wire = &wiring->wire[wiring->first[s] + i];
    add_connector(text, cs_text_string(&wire->name), false, cs_wiring_unit(wiring, wire),
                  (double)(inputs - i) / (double)(inputs + 1));
  }
  for (size_t i = 0; i < subsystem->outputs; i++) {
    const struct cs_signal *signal = &wiring->model->output[subsystem->first_output + i];
    struct cs_text name = {0};
    cs_text_add(&name, "y.%s", cs_wiring_name(signal));
    add_connector(text, cs_text_string(&name), true, signal->unit,
                  (double)(subsystem->outputs - i) / (double)(subsystem->outputs + 1));
    text->failed |= name.failed;
    cs_text_free(&name);
  }
  cs_text_add(text,
              "        </ssd:Connectors>\n"
              "        <ssd:ElementGeometry x1=\"%zu\" y1=\"%zu\" x2=\"%zu\" y2=\"%zu\"/>\n"
              "      </ssd:Component>\n",
              x, y, x + BOX_WIDTH, y + BOX_HEIGHT);
}

/* Units of wires, then of outputs: those that connectors have. */
static const char *unit_at(const struct cs_wiring *wiring, size_t i) {
  return i < wiring->wires ? cs_wiring_unit(wiring, &wiring->wire[i]) : wiring->model->output[i - wiring->wires].unit;
}

static void add_base_units(const struct cs_wiring *wiring, struct cs_text *text) {
  const char *open = "  <ssd:Units>\n", *close = "";
  for (size_t i = 0; i < wiring->wires + wiring->model->outputs; i++) {
    const char *name = unit_at(wiring, i);
    struct cs_unit unit;
    size_t before = 0;
    while (before < i && strcmp(unit_at(wiring, before), name) != 0)
      before++;
    if (before < i || !cs_unit_read(name, &unit)) continue;
    cs_text_add(text, "%s    <ssc:Unit", open);
    add_attribute(text, "name", name);
    cs_text_add(text, "><ssc:BaseUnit");
    for (int b = 0; b < CS_UNIT_BASES; b++)
      if (unit.exponent[b] != 0) cs_text_add(text, " %s=\"%d\"", cs_unit_base(b), unit.exponent[b]);
    if (unit.factor != 1.0) add_number(text, "factor", unit.factor);
    if (unit.offset != 0.0) add_number(text, "offset", unit.offset);
    cs_text_add(text, "/></ssc:Unit>\n");
    open = "", close = "  </ssd:Units>\n";
  }
  cs_text_add(text, "%s", close);
}

void cs_describe_ssd(const struct cs_wiring *wiring, struct cs_text *text) {
  const struct cs_model *model = wiring->model;
  const char *open = "    <ssd:Connections>\n", *close = "";
  cs_text_add(text,
              "%s<ssd:SystemStructureDescription xmlns:ssd=\"http://ssp-standard.org/SSP1/SystemStructureDescription\""
              " xmlns:ssc=\"http://ssp-standard.org/SSP1/SystemStructureCommon\" version=\"1.0\" name=\"%s\""
              " generationTool=\"cosweep %s\">\n  <ssd:System name=\"%s\">\n    <ssd:Elements>\n",
              begin, model->name, CS_VERSION, model->name);
  for (size_t s = 0; s < model->subsystems; s++)
    add_component(wiring, s, text);
  cs_text_add(text, "    </ssd:Elements>\n");
  for (size_t i = 0; i < wiring->wires; i++) {
    const struct cs_wire *wire = &wiring->wire[i];
    if (wire->from == SIZE_MAX) continue;
    const struct cs_signal *from = &model->output[wire->from];
    cs_text_add(text,
                "%s      <ssd:Connection startElement=\"%s\" startConnector=\"y.%s\" endElement=\"%s\""
                " endConnector=\"%s\"/>\n",
                open, owner(wiring, from)->name, cs_wiring_name(from), owner(wiring, &model->input[wire->input])->name,
                cs_text_string(&wire->name));
    open = "", close = "    </ssd:Connections>\n";
  }
  const size_t columns = columns_of(model), rows = (model->subsystems + columns - 1) / columns;
  cs_text_add(text,
              "%s    <ssd:SystemGeometry x1=\"%d\" y1=\"%d\" x2=\"%zu\" y2=\"%zu\"/>\n"
              "  </ssd:System>\n",
              close, -GAP, -GAP, columns * (BOX_WIDTH + GAP), rows * (BOX_HEIGHT + GAP));
  add_base_units(wiring, text);
  cs_text_add(text, "  <ssd:DefaultExperiment startTime=\"0.0\"/>\n</ssd:SystemStructureDescription>\n");
}

void cs_describe_osp(const struct cs_wiring *wiring, struct cs_text *text) {
  const struct cs_model *model = wiring->model;
  cs_text_add(text,
              "%s<OspSystemStructure xmlns=\"http://opensimulationplatform.com/MSMI/OSPSystemStructure\""
              " version=\"0.1\">\n  <StartTime>0.0</StartTime>\n  <BaseStepSize>",
              begin);
  cs_text_add_number(text, wiring->step);
  cs_text_add(text, "</BaseStepSize>\n  <Algorithm>fixedStep</Algorithm>\n  <Simulators>\n");
  for (size_t s = 0; s < model->subsystems; s++) {
    cs_text_add(text, "    <Simulator name=\"%s\" source=\"%s.fmu\"", model->subsystem[s].name,
                model->subsystem[s].name);
    add_number(text, "stepSize", wiring->step);
    cs_text_add(text, "/>\n");
  }
  cs_text_add(text, "  </Simulators>\n  <Connections>\n");
  for (size_t i = 0; i < wiring->wires; i++) {
    const struct cs_wire *wire = &wiring->wire[i];
    if (wire->from == SIZE_MAX) continue;
    const struct cs_signal *from = &model->output[wire->from];
    cs_text_add(text,
                "    <VariableConnection><Variable simulator=\"%s\" name=\"y.%s\"/>"
                "<Variable simulator=\"%s\" name=\"%s\"/></VariableConnection>\n",
                owner(wiring, from)->name, cs_wiring_name(from), owner(wiring, &model->input[wire->input])->name,
                cs_text_string(&wire->name));
  }
  cs_text_add(text, "  </Connections>\n</OspSystemStructure>\n");
}
