/* cosweep plot: a figure of a result, of a trace or of several traces. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "claim.h"
#include "command.h"
#include "font.h"
#include "gnuplot.h"
#include "interrupt.h"
#include "print.h"
#include "stamp.h"
#include "store.h"

/* Script and data have the name of the figure and are written beside it. */
static int name_script(const struct cs_arguments *arguments, const char *output, struct cs_text *script,
                       struct cs_text *numbers, struct cs_error *error) {
  cs_command_add_renamed(script, output, 0, ".gp");
  cs_command_add_renamed(numbers, output, 0, ".dat");
  int code = script->failed || numbers->failed ? cs_error_memory(error) : CS_OK;
  if (code == CS_OK) code = cs_command_check_output(arguments, script->data, "plot", error);
  if (code == CS_OK) code = cs_command_check_output(arguments, numbers->data, "plot", error);
  if (code == CS_OK) code = cs_command_absent(arguments, script->data, error);
  return code == CS_OK ? cs_command_absent(arguments, numbers->data, error) : code;
}

static int keep_script(const struct cs_figure *figure, const char *format, const char *output, const char *script_path,
                       const char *numbers_path, bool force, struct cs_error *error) {
  struct cs_text script = {0}, numbers = {0};
  const size_t folder = cs_command_folder(output);
  int code = cs_gnuplot_script(figure, format, output + folder, numbers_path + folder, &script, &numbers, error);
  if (code == CS_OK) code = cs_command_write(script_path, force, &script, error);
  if (code == CS_OK) code = cs_command_write(numbers_path, force, &numbers, error);
  if (code == CS_OK) cs_print_path(script_path);
  if (code == CS_OK) cs_print_path(numbers_path);
  cs_text_free(&script);
  cs_text_free(&numbers);
  return code;
}

/* "a_b.svg" for figures of a.h5 and b.h5. */
static void name_output(const struct cs_arguments *arguments, struct cs_text *output) {
  if (arguments->given[CS_OPTION_OUTPUT]) cs_text_add(output, "%s", arguments->text[CS_OPTION_OUTPUT]);
  for (size_t i = 0; i < arguments->operands && !arguments->given[CS_OPTION_OUTPUT]; i++)
    cs_command_add_renamed(output, arguments->operand[i], cs_command_folder(arguments->operand[i]),
                           i + 1 < arguments->operands ? "_" : ".svg");
}

/* ---- how the figure looks */

static int fail(const char *option, const char *value, const char *want, struct cs_error *error) {
  return cs_error_set(error, CS_USAGE, "--%s %s; want %s", option, value, want);
}

/* "85mm" in pixels. */
static int read_width(const char *text, double *width, struct cs_error *error) {
  static const struct {
    const char *name;
    double pixels;
  } units[] = {{"mm", 96.0 / 25.4}, {"cm", 96.0 / 2.54}, {"in", 96.0}};
  const double least = 30.0, most = 2000.0; /* mm */
  char *end = NULL;
  const double number = strtod(text, &end);
  if (end == text) end = (char *)text + strlen(text);
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(end, units[i].name) == 0) *width = number * units[i].pixels;
  if (*width >= least * units[0].pixels && *width <= most * units[0].pixels) return CS_OK;
  return fail("width", text, "a length from 30mm to 2000mm in mm, cm or in, for example 85mm", error);
}

/* "Times,8", "Times" or "8"; `family` is the text's. */
static int read_font(const char *text, struct cs_text *family, double *size, struct cs_error *error) {
  const double least = 7.0, most = 36.0;
  const char *comma = strrchr(text, ','), *number = comma != NULL ? comma + 1 : text;
  char *end = NULL;
  const double value = strtod(number, &end);
  const bool said = end != number && *end == '\0';
  const size_t length = comma != NULL ? (size_t)(comma - text) : said ? 0 : strlen(text);
  if ((comma != NULL && !said) || (said && !(value >= least && value <= most)) || (!said && length == 0))
    return fail("font", text, "NAME, NAME,SIZE or SIZE, from 7 to 36 pt", error);
  *size = said ? value : 0.0;
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)text[i] < ' ' || strchr("\"'<>&,{}", text[i]) != NULL)
      return fail("font", text, "a name without quotes, commas, braces and < > &", error);
  if (length > 0) cs_text_append(family, text, length);
  return family->failed ? cs_error_memory(error) : CS_OK;
}

static int limit(struct cs_figure *figure, const char *text, bool of_y, struct cs_error *error) {
  char *colon = NULL, *end = NULL;
  if (text == NULL) return CS_OK;
  const double least = strtod(text, &colon), most = *colon == ':' ? strtod(colon + 1, &end) : NAN;
  const bool good = colon != text && end != NULL && end != colon + 1 && *end == '\0' && isfinite(least) &&
                    isfinite(most) && least < most;
  if (!good) return fail(of_y ? "yrange" : "xrange", text, "A:B with A below B, for example 0:0.5", error);
  return cs_figure_limit(figure, of_y, least, most, error);
}

/* Words of the figure that the user has chosen. */
static int reword(const struct cs_arguments *arguments, struct cs_figure *figure, struct cs_error *error) {
  const struct cs_values *label = &arguments->list[CS_OPTION_LABEL];
  int code = CS_OK;
  for (size_t i = 0; i < label->count && code == CS_OK; i++)
    code = cs_figure_rename(figure, label->text[i], error);
  if (code == CS_OK && arguments->given[CS_OPTION_X_LABEL])
    code = cs_figure_label_axes(figure, false, arguments->text[CS_OPTION_X_LABEL], error);
  if (code == CS_OK && arguments->given[CS_OPTION_Y_LABEL])
    code = cs_figure_label_axes(figure, true, arguments->text[CS_OPTION_Y_LABEL], error);
  if (arguments->given[CS_OPTION_NO_NOTES]) figure->notes[0] = '\0';
  return code;
}

/* Says that a font is not there; another one is drawn. */
static void warn_of_font(const char *family) {
  struct cs_text instead = {0};
  if (family != NULL && !cs_font_exists(family, &instead))
    cs_print_message("--font %s: this machine has no such font, %s is drawn; fc-list : family lists those there are\n",
                     family, cs_text_string(&instead));
  cs_text_free(&instead);
}

/* A figure that cosweep made may be replaced. */
static int check_absent(const struct cs_arguments *arguments, const char *path, const char *format,
                        struct cs_error *error) {
  struct cs_text bytes = {0};
  struct cs_error unread;
  bool ours = false;
  if (arguments->given[CS_OPTION_FORCE] || access(path, F_OK) != 0) return CS_OK;
  if (cs_text_read(&bytes, path, "figure", &unread) == CS_OK && bytes.length > 0)
    ours = cs_stamp_is_ours(format, bytes.data, bytes.length);
  cs_text_free(&bytes);
  return ours ? CS_OK : cs_command_absent(arguments, path, error);
}

/* Reads the files and describes their figure. */
static int describe(const struct cs_arguments *arguments, const struct cs_figure_request *request,
                    struct cs_figure **figure, struct cs_error *error) {
  const size_t files = arguments->operands;
  struct cs_table *table[CS_FIGURE_FILES] = {0};
  struct cs_figure_file file[CS_FIGURE_FILES];
  int code = CS_OK;
  if (files > CS_FIGURE_FILES)
    code = cs_error_set(error, CS_USAGE, "%zu files; want at most %d in a figure", files, CS_FIGURE_FILES);
  for (size_t i = 0; i < files && code == CS_OK; i++) {
    code = cs_store_read_lazily(arguments->operand[i], CS_STORE_LARGE, &table[i], error);
    file[i] = (struct cs_figure_file){.table = table[i], .path = arguments->operand[i]};
  }
  if (code == CS_OK) code = cs_figure_compare(file, files, request, figure, error);
  for (size_t i = 0; i < files && code == CS_OK; i++)
    code = cs_table_check(table[i], error);
  if (code == CS_OK && arguments->given[CS_OPTION_TITLE]) {
    free((*figure)->title);
    (*figure)->title = cs_text_copy(arguments->text[CS_OPTION_TITLE]);
    if ((*figure)->title == NULL) code = cs_error_memory(error);
  }
  for (size_t i = 0; i < CS_FIGURE_FILES; i++)
    cs_table_free(table[i]);
  return cs_error_usage(error, code, "plot");
}

int cs_command_plot(const struct cs_arguments *arguments, struct cs_error *error) {
  struct cs_text metrics = {0};
  const struct cs_values *metric = &arguments->list[CS_OPTION_METRIC], *where = &arguments->list[CS_OPTION_WHERE],
                         *highlight = &arguments->list[CS_OPTION_HIGHLIGHT];
  for (size_t i = 0; i < metric->count; i++)
    cs_text_add(&metrics, "%s%s", i > 0 ? "," : "", metric->text[i]);
  const struct cs_figure_request request = {.kind = arguments->text[CS_OPTION_KIND],
                                            .metric = metrics.data,
                                            .x = arguments->text[CS_OPTION_X],
                                            .y = arguments->text[CS_OPTION_Y],
                                            .curve = arguments->text[CS_OPTION_CURVE],
                                            .panel = arguments->text[CS_OPTION_PANEL],
                                            .signal = arguments->text[CS_OPTION_SIGNAL],
                                            .where = where->text,
                                            .wheres = where->count,
                                            .methods = arguments->number[CS_OPTION_METHODS],
                                            .highlight = highlight->text,
                                            .highlights = highlight->count,
                                            .slopes = arguments->given[CS_OPTION_SLOPES]};
  const bool keeps = arguments->given[CS_OPTION_SCRIPT];
  struct cs_text output = {0}, script = {0}, numbers = {0}, family = {0}, line = {0}, data = {0};
  struct cs_figure_style style = {0};
  struct cs_figure *figure = NULL;
  int code = CS_OK;
  name_output(arguments, &output);
  for (size_t i = 0; i < arguments->operands; i++)
    cs_text_add(&data, "%s%s", i > 0 ? ", " : "", arguments->operand[i]);
  if (output.failed || metrics.failed || data.failed) code = cs_error_memory(error);
  const char *format = output.failed ? NULL : cs_gnuplot_format(output.data);
  if (code == CS_OK && format == NULL)
    code = cs_error_set(error, CS_USAGE,
                        "cosweep plot: --output %s; want a name ending in .svg, .png or .pdf (see: cosweep plot "
                        "--help)",
                        output.data);
  if (code == CS_OK) code = cs_command_check_output(arguments, output.data, "plot", error);
  if (code == CS_OK) code = check_absent(arguments, output.data, format, error);
  if (code == CS_OK && keeps) code = name_script(arguments, output.data, &script, &numbers, error);
  if (code == CS_OK && arguments->given[CS_OPTION_WIDTH])
    code = cs_error_usage(error, read_width(arguments->text[CS_OPTION_WIDTH], &style.width, error), "plot");
  if (code == CS_OK && arguments->given[CS_OPTION_FONT])
    code = cs_error_usage(error, read_font(arguments->text[CS_OPTION_FONT], &family, &style.size, error), "plot");
  style.family = family.data;
  cs_command_add_line(&line, "plot", arguments);
  if (code == CS_OK && line.failed) code = cs_error_memory(error);
  if (code == CS_OK) code = describe(arguments, &request, &figure, error);
  if (code == CS_OK) {
    figure->style = style;
    figure->command = line.data;
    figure->data = data.data;
    code = limit(figure, arguments->text[CS_OPTION_XRANGE], false, error);
    if (code == CS_OK) code = limit(figure, arguments->text[CS_OPTION_YRANGE], true, error);
    if (code == CS_OK) code = reword(arguments, figure, error);
    code = cs_error_usage(error, code, "plot");
  }
  if (keeps) cs_claim_expect(3); /* the figure, its script and numbers */
  if (code == CS_OK) code = cs_error_usage(error, cs_gnuplot_render(figure, format, output.data, error), "plot");
  if (code == CS_OK && keeps)
    code =
        keep_script(figure, format, output.data, script.data, numbers.data, arguments->given[CS_OPTION_FORCE], error);
  if (code != CS_OK && cs_interrupt_came()) code = cs_error_interrupted(error);
  if (code == CS_OK) cs_print_path(output.data);
  if (code == CS_OK) warn_of_font(family.data);
  cs_figure_free(figure);
  cs_text_free(&output);
  cs_text_free(&script);
  cs_text_free(&numbers);
  cs_text_free(&metrics);
  cs_text_free(&family);
  cs_text_free(&line);
  cs_text_free(&data);
  return code;
}
