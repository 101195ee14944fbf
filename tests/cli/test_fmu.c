/* cosweep export of models: archives, and the binary in them, loaded as other programs load it. */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli_case.h"
#include "host/fmu/binary/fmi2.h"
#include "text.h"

static char two_mass[4096];

static void set_up(void) {
  snprintf(two_mass, sizeof two_mass, "%s/models/two_mass_oscillator/model.json", COSWEEP_SOURCE_DIR);
  cli_case_open();
}

TestSuite(fmu, .init = set_up, .fini = cli_case_close);

static void export_two_mass(void) {
  char words[5000];
  snprintf(words, sizeof words, "export %s --format fmu -o two", two_mass);
  cli_expect(words, 0, "two/oscillator1.fmu\ntwo/oscillator2.fmu\n");
}

/* ---- archives */

static unsigned number(const char *bytes, size_t count) {
  unsigned value = 0;
  for (size_t i = count; i-- > 0;)
    value = value << 8 | (unsigned char)bytes[i];
  return value;
}

/* The contents of a stored file; the caller frees it. */
static char *unpack(const char *archive, const char *name, size_t *length) {
  struct cs_text bytes = {0};
  char *copy = NULL;
  cr_assert_eq(cs_text_read(&bytes, archive, "archive", NULL), 0, "%s", archive);
  const char *end = bytes.data + bytes.length, *at = bytes.data;
  while (at + 30 < end && number(at, 4) == 0x04034b50u && copy == NULL) {
    const size_t size = number(at + 18, 4), word = number(at + 26, 2);
    cr_expect_eq(number(at + 8, 2), 0u, "compressed");
    if (strlen(name) == word && memcmp(at + 30, name, word) == 0) {
      copy = malloc(size + 1);
      cr_assert_not_null(copy);
      memcpy(copy, at + 30 + word, size);
      copy[size] = '\0';
      *length = size;
    }
    at += 30 + word + size;
  }
  cr_assert_not_null(copy, "no %s in %s", name, archive);
  cs_text_free(&bytes);
  return copy;
}

static void extract(const char *archive, const char *name, const char *to) {
  size_t length = 0;
  char *bytes = unpack(archive, name, &length);
  FILE *file = fopen(to, "wb");
  cr_assert_not_null(file, "%s", to);
  cr_assert_eq(fwrite(bytes, 1, length, file), length);
  fclose(file);
  free(bytes);
}

static void expect_text(const char *archive, const char *name, const char *part) {
  size_t length = 0;
  char *text = unpack(archive, name, &length);
  cr_expect_not_null(strstr(text, part), "\"%s\" is not in %s of %s:\n%s", part, name, archive, text);
  free(text);
}

/* ---- the binary */

struct binary {
  void *library;
  fmi2Component (*instantiate)(fmi2String, fmi2Type, fmi2String, fmi2String, const fmi2CallbackFunctions *, fmi2Boolean,
                               fmi2Boolean);
  void (*free)(fmi2Component);
  fmi2Status (*get)(fmi2Component, LIST, fmi2Real[]);
  fmi2Status (*set)(fmi2Component, LIST, const fmi2Real[]);
  fmi2Status (*set_slopes)(fmi2Component, LIST, const fmi2Integer[], const fmi2Real[]);
  fmi2Status (*slopes)(fmi2Component, LIST, const fmi2Integer[], fmi2Real[]);
  fmi2Status (*step)(fmi2Component, fmi2Real, fmi2Real, fmi2Boolean);
  fmi2Status (*reset)(fmi2Component);
  fmi2Status (*keep)(fmi2Component, fmi2FMUstate *), (*back)(fmi2Component, fmi2FMUstate);
  fmi2Status (*drop)(fmi2Component, fmi2FMUstate *);
  fmi2Status (*directional)(fmi2Component, const fmi2ValueReference[], size_t, const fmi2ValueReference[], size_t,
                            const fmi2Real[], fmi2Real[]);
  fmi2Status (*derivatives)(fmi2Component, fmi2Real[], size_t);
  fmi2Status (*set_states)(fmi2Component, const fmi2Real[], size_t);
};

/* POSIX: a pointer to an object has room for one to a function. */
static void find(struct binary *b, const char *name, void *function) {
  void *symbol = dlsym(b->library, name);
  cr_assert_not_null(symbol, "no %s", name);
  memcpy(function, &symbol, sizeof symbol);
}

#ifdef __x86_64__
#define PLACE "binaries/linux64/linear.so"
#else
#define PLACE "binaries/aarch64-linux/linear.so"
#endif

static struct binary load(const char *archive) {
  struct binary b;
  extract(archive, PLACE, "linear.so");
  b.library = dlopen("./linear.so", RTLD_NOW | RTLD_LOCAL);
  cr_assert_not_null(b.library, "%s", dlerror());
  find(&b, "fmi2Instantiate", &b.instantiate);
  find(&b, "fmi2FreeInstance", &b.free);
  find(&b, "fmi2GetReal", &b.get);
  find(&b, "fmi2SetReal", &b.set);
  find(&b, "fmi2SetRealInputDerivatives", &b.set_slopes);
  find(&b, "fmi2GetRealOutputDerivatives", &b.slopes);
  find(&b, "fmi2DoStep", &b.step);
  find(&b, "fmi2Reset", &b.reset);
  find(&b, "fmi2GetFMUstate", &b.keep);
  find(&b, "fmi2SetFMUstate", &b.back);
  find(&b, "fmi2FreeFMUstate", &b.drop);
  find(&b, "fmi2GetDirectionalDerivative", &b.directional);
  find(&b, "fmi2GetDerivatives", &b.derivatives);
  find(&b, "fmi2SetContinuousStates", &b.set_states);
  return b;
}

/* An instance whose linear.txt is in the folder, with a blank in its name. */
static fmi2Component make(const struct binary *b, const char *archive, const char *folder) {
  char path[200], uri[200];
  mkdir(folder, 0777);
  snprintf(path, sizeof path, "%s/linear.txt", folder);
  extract(archive, "resources/linear.txt", path);
  snprintf(uri, sizeof uri, "file:%s", folder);
  char *blank = strchr(uri, ' ');
  if (blank != NULL) {
    memmove(blank + 3, blank + 1, strlen(blank));
    memcpy(blank, "%20", 3);
  }
  fmi2Component c = b->instantiate("own", fmi2CoSimulation, "", uri, NULL, 0, 0);
  cr_assert_not_null(c, "%s", uri);
  return c;
}

static double get(const struct binary *b, fmi2Component c, fmi2ValueReference reference) {
  double value = NAN;
  cr_expect_eq(b->get(c, &reference, 1, &value), fmi2OK);
  return value;
}

static void set(const struct binary *b, fmi2Component c, fmi2ValueReference reference, double value) {
  cr_expect_eq(b->set(c, &reference, 1, &value), fmi2OK);
}

/* Two FMUs of one library; final states as other programs computed them, tests/data/tools/tools.csv. */
Test(fmu, steps_as_in_other_programs) {
  static const double want[] = {-0.066117063985985408, -0.05370419681775928, -0.040971657561098648,
                                -0.048420813065676201, -0.048075473189564233};
  export_two_mass();
  struct binary b = load("two/oscillator1.fmu");
  fmi2Component one = make(&b, "two/oscillator1.fmu", "first one"), other = make(&b, "two/oscillator2.fmu", "other");
  for (int k = 0; k < 100; k++) {
    for (int repeat = 0; repeat < (k == 0 ? 2 : 1); repeat++) { /* the first torque needs the other's speed */
      const double speed = get(&b, other, 1), torque = get(&b, one, 1);
      set(&b, one, 0, speed);
      set(&b, other, 0, torque);
    }
    cr_assert_eq(b.step(one, 0.1 * k, 0.1, 0), fmi2OK);
    cr_assert_eq(b.step(other, 0.1 * k, 0.1, 0), fmi2OK);
  }
  for (size_t i = 0; i < 5; i++) {
    const double got = i < 3 ? get(&b, one, 2 + (unsigned)i) : get(&b, other, 2 + (unsigned)(i - 3));
    cr_expect_lt(fabs(got - want[i]), 1e-14 * 0.2, "state %zu: %.17g", i, got);
  }
  b.free(one);
  b.free(other);
  dlclose(b.library);
}

static const char *const cart =
    "{\"format\": \"cosweep-model/1\", \"name\": \"cart\", \"subsystems\": [{\"name\": \"cart\", \"description\": "
    "\"<a> & \\\"b\\\"\", \"states\": [{\"name\": \"s\", \"unit\": \"m\"}, \"v\"], \"inputs\": [\"F\", \"G\"], "
    "\"outputs\": [\"s\", \"F\"], \"A\": [[0, 1], [0, 0]], \"B\": [[0, 0], [1, 3]], \"C\": [[1, 0], [0, 0]], "
    "\"D\": [[0, 0], [1, 0]], \"x0\": [1, 2]}, {\"name\": \"lag\", \"states\": [\"x\"], \"inputs\": [\"u\"], "
    "\"outputs\": [\"y\"], \"A\": [[-1]], \"B\": [[1]], \"C\": [[1]], \"x0\": [5]}], \"connections\": "
    "[{\"to\": \"cart.G\", \"value\": 0.5}, {\"from\": \"cart.s\", \"to\": \"lag.u\", \"gain\": 2}, "
    "{\"from\": \"cart.F\", \"to\": \"lag.u\"}, {\"to\": \"lag.u\", \"value\": 7}, {\"from\": \"lag.y\", \"to\": "
    "\"cart.F\"}]}";

/* A double integrator under a force 1 + 2 t + 3 t^2 + 4 t^3 beside a constant: its states are polynomials. */
Test(fmu, inputs_are_polynomials_and_steps_exact) {
  const fmi2ValueReference force[] = {0, 0, 0};
  cli_case_write("cart.json", cart);
  cli_expect("export cart.json --format fmu", 0, "cart/cart.fmu\ncart/lag.fmu\n");
  struct binary b = load("cart/cart.fmu");
  fmi2Component c = make(&b, "cart/cart.fmu", "cart");
  cr_expect_eq(get(&b, c, 1), 0.5, "the constant is a start value");
  set(&b, c, 0, 1.0);
  cr_expect_eq(b.set_slopes(c, force, 3, (const fmi2Integer[]){1, 2, 3}, (const double[]){2, 6, 24}), fmi2OK);
  fmi2FMUstate before = NULL;
  cr_expect_eq(b.keep(c, &before), fmi2OK);
  double t = 0.0;
  for (int run = 0; run < 2; run++, b.back(c, before), t = 0.0) {
    for (int k = 0; k < 3; k++, t += 0.5)
      cr_expect_eq(b.step(c, t, 0.5, 0), fmi2OK);
    const double v = 2 + 2.5 * t + t * t + t * t * t + t * t * t * t;
    const double s = 1 + 2 * t + 1.25 * t * t + t * t * t / 3 + pow(t, 4) / 4 + pow(t, 5) / 5;
    cr_expect_lt(fabs(get(&b, c, 5) - v), 1e-13, "v %.17g, want %.17g", get(&b, c, 5), v);
    cr_expect_lt(fabs(get(&b, c, 4) - s), 1e-13, "s %.17g, want %.17g", get(&b, c, 4), s);
    const double u = 1 + 2 * t + 3 * t * t + 4 * t * t * t;
    cr_expect_lt(fabs(get(&b, c, 0) - u), 1e-13);
    double slopes[3];
    cr_expect_eq(b.slopes(c, (const fmi2ValueReference[]){2, 2, 3}, 3, (const fmi2Integer[]){1, 3, 1}, slopes), fmi2OK);
    cr_expect_lt(fabs(slopes[0] - v), 1e-13);
    cr_expect_lt(fabs(slopes[1] - (2 + 6 * t + 12 * t * t)), 1e-12, "s''' = F'");
    cr_expect_lt(fabs(slopes[2] - (2 + 6 * t + 12 * t * t)), 1e-12);
  }
  b.drop(c, &before);
  b.reset(c);
  cr_expect_eq(get(&b, c, 5), 2.0);
  b.free(c);
  dlclose(b.library);
}

/* Model exchange, and an input that two connections and a constant reach: one variable each, the gain inside. */
Test(fmu, gains_and_constants_are_inside) {
  cli_case_write("cart.json", cart);
  cli_expect("export cart.json --format fmu -o cart/", 0, "cart/lag.fmu");
  struct binary b = load("cart/lag.fmu");
  fmi2Component c = make(&b, "cart/lag.fmu", "lag");
  double sensitivity, slope, x = 4.0;
  set(&b, c, 0, 10.0);
  set(&b, c, 1, 100.0);
  cr_expect_eq(b.set_states(c, &x, 1), fmi2OK);
  cr_expect_eq(b.derivatives(c, &slope, 1), fmi2OK);
  cr_expect_eq(slope, -4.0 + 2 * 10.0 + 100.0 + 7.0);
  cr_expect_eq(b.directional(c, (const fmi2ValueReference[]){4}, 1, (const fmi2ValueReference[]){0, 3}, 2,
                             (const double[]){1, 10}, &sensitivity),
               fmi2OK);
  cr_expect_eq(sensitivity, 2.0 - 10.0);
  cr_expect_eq(b.set(c, (const fmi2ValueReference[]){2}, 1, &x), fmi2Error, "an output");
  cr_expect_eq(b.get(c, (const fmi2ValueReference[]){5}, 1, &x), fmi2Error, "no variable");
  cr_expect_eq(b.step(c, 0.0, -1.0, 0), fmi2Error);
  cr_expect_eq(b.step(c, 0.0, 1e308, 0), fmi2Error, "beyond all numbers");
  b.free(c);
  cr_expect_null(b.instantiate("own", fmi2CoSimulation, "", "file:///nowhere", NULL, 0, 0));
  dlclose(b.library);
}

/* Units that can be told by base units; those of connectors alone. */
Test(fmu, units_have_base_units) {
  static const struct {
    const char *unit, *base; /* base: NULL for what is not understood */
  } row[] = {
      {"N m", "kg=\"1\" m=\"2\" s=\"-2\""},
      {"kN.mm/rad", "kg=\"1\" m=\"2\" s=\"-2\" rad=\"-1\""},
      {"mm", "m=\"1\" factor=\"0.001\""},
      {"km2", "m=\"2\" factor=\"1000000\""},
      {"m^2/s2", "m=\"2\" s=\"-2\""},
      {"s-1", "s=\"-1\""},
      {"1/s", "s=\"-1\""},
      {"J/(kg K)", "m=\"2\" s=\"-2\" K=\"-1\""},
      {"W/m/K", "kg=\"1\" m=\"1\" s=\"-3\" K=\"-1\""},
      {"degC", "K=\"1\" offset=\"273.15\""},
      {"W/degC", "kg=\"1\" m=\"2\" s=\"-3\" K=\"-1\""},
      {"min", "s=\"1\" factor=\"60\""},
      {"mOhm", "kg=\"1\" m=\"2\" s=\"-3\" A=\"-2\" factor=\"0.001\""},
      {"W/m K", NULL},
      {"J/(kg/K)", NULL},
      {"C", NULL},
      {"furlong", NULL},
      {"m2.5", NULL},
      {"m^", NULL},
      {"mmin", NULL},
      {"(m", NULL},
      {"m)", NULL},
      {"m0", NULL},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cs_text model = {0}, want = {0};
    cs_text_add(&model,
                "{\"format\": \"cosweep-model/1\", \"name\": \"m\", \"subsystems\": [{\"name\": \"a\", \"states\": "
                "[\"x\"], \"outputs\": [{\"name\": \"y\", \"unit\": \"%s\"}], \"A\": [[-1]], \"C\": [[1]]}], "
                "\"connections\": []}",
                row[i].unit);
    cli_case_write("m.json", model.data);
    cli_expect("export m.json --format ssp --force", 0, "m.ssp");
    if (row[i].base != NULL) {
      cs_text_add(&want, "<ssc:Unit name=\"%s\"><ssc:BaseUnit %s/></ssc:Unit>", row[i].unit, row[i].base);
      expect_text("m.ssp", "SystemStructure.ssd", want.data);
    } else {
      expect_text("m.ssp", "SystemStructure.ssd", "kind=\"output\"><ssc:Real/>");
      expect_text("m.ssp", "SystemStructure.ssd", "  </ssd:System>\n  <ssd:DefaultExperiment");
    }
    cs_text_free(&model);
    cs_text_free(&want);
  }
}

Test(fmu, descriptions_say_what_is_inside) {
  cli_case_write("cart.json", cart);
  cli_expect("export cart.json --format fmu --step 0.25", 0, "cart/cart.fmu");
  expect_text("cart/cart.fmu", "modelDescription.xml", "description=\"&lt;a&gt; &amp; &quot;b&quot;\"");
  expect_text("cart/cart.fmu", "modelDescription.xml", "stepSize=\"0.25\"");
  expect_text("cart/cart.fmu", "modelDescription.xml", "<Unit name=\"m\"/>");
  expect_text("cart/cart.fmu", "modelDescription.xml",
              "<Outputs><Unknown index=\"3\" dependencies=\"5\"/><Unknown index=\"4\" dependencies=\"1\"/></Outputs>");
  expect_text("cart/lag.fmu", "modelDescription.xml", "name=\"u.u.2\" valueReference=\"1\"");
  cli_expect("export cart.json --format ssp", 0, "cart.ssp");
  expect_text("cart.ssp", "SystemStructure.ssd",
              "<ssd:Connection startElement=\"cart\" startConnector=\"y.s\" endElement=\"lag\" "
              "endConnector=\"u.u.1\"/>");
  expect_text("cart.ssp", "SystemStructure.ssd", "<ssd:ElementGeometry x1=\"70\" y1=\"0\" x2=\"110\" y2=\"30\"/>");
  expect_text("cart.ssp", "SystemStructure.ssd",
              "<ssd:Connector name=\"y.s\" kind=\"output\"><ssc:Real/>"
              "<ssd:ConnectorGeometry x=\"1\" y=\"0.6666666666666666\"/>");
  expect_text("cart.ssp", "resources/lag.fmu", "PK");
  cli_expect("export cart.json --format osp -o osp", 0, "osp/OspSystemStructure.xml");
  struct cs_text text = {0};
  cr_assert_eq(cs_text_read(&text, "osp/OspSystemStructure.xml", "file", NULL), 0);
  cr_expect_not_null(strstr(text.data, "<BaseStepSize>0.1</BaseStepSize>"), "%s", text.data);
  cr_expect_not_null(strstr(text.data,
                            "<Variable simulator=\"lag\" name=\"y.y\"/><Variable simulator=\"cart\" "
                            "name=\"u.F\"/>"),
                     "%s", text.data);
  cs_text_free(&text);
}

Test(fmu, what_cannot_be_exported) {
  char words[5000];
  export_two_mass();
  snprintf(words, sizeof words, "export %s --format fmu -o two", two_mass);
  cli_expect(words, 5, "two/oscillator1.fmu: exists");
  snprintf(words, sizeof words, "export %s --format fmu -o -", two_mass);
  cli_expect(words, 2, "-o -: there are several files; want a directory");
  snprintf(words, sizeof words, "export %s --format ssp --metric x", two_mass);
  cli_expect(words, 2, "--metric means nothing with --format ssp");
  snprintf(words, sizeof words, "export %s/models/cradle/model.json --format fmu", COSWEEP_SOURCE_DIR);
  cli_expect(words, 3, "events: FMUs have no events and no modes");
  cli_expect("export two/oscillator1.fmu --format csv --step 1", 2, "--step needs --format fmu, ssp or osp");
  snprintf(words, sizeof words, "export %s", two_mass);
  cli_expect(words, 2, "model.json is no result; a model is exported with --format fmu, ssp or osp");
}
