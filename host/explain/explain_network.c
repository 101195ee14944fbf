/* The network as a picture: subsystems as blocks on a circle, and an arrow for all connections from one to another, in
 * red where the mode that becomes unstable first depends most on them. */
#include <math.h>
#include <string.h>

#include "explain_private.h"

enum { WIDTH = 620, HALF = 13, MARGIN = 40, MOST = 24, NAMED = 3 };
static const double letter = 7.0; /* width of one */

struct point {
  double x, y;
};

/* All connections between two subsystems. */
struct arrow {
  struct point from, control, to;
  bool guilty;
};

static double half_width(const struct cs_explanation *e, size_t part) {
  return 0.5 * letter * (double)strlen(e->network.part[part].name) + 10.0;
}

static double height_of(const struct cs_explanation *e) {
  return e->network.parts < 3 ? 190.0 : fmin(180.0 + 30.0 * (double)e->network.parts, 520.0);
}

static struct point place_of(const struct cs_explanation *e, size_t part) {
  const size_t n = e->network.parts;
  const double height = height_of(e), angle = 2.0 * PI * (double)part / (double)n - (n == 2 ? PI : 0.5 * PI);
  if (n == 1) return (struct point){0.5 * WIDTH, 0.5 * height};
  return (struct point){0.5 * WIDTH + (0.5 * WIDTH - 110.0) * cos(angle),
                        0.5 * height + (0.5 * height - MARGIN) * sin(angle)};
}

/* Where the line from the middle of a block to a point leaves it. */
static struct point border(const struct cs_explanation *e, size_t part, struct point towards) {
  const struct point middle = place_of(e, part);
  const double dx = towards.x - middle.x, dy = towards.y - middle.y;
  const double at = fmin(half_width(e, part) / fmax(fabs(dx), 1e-9), (HALF + 1.0) / fmax(fabs(dy), 1e-9));
  return (struct point){middle.x + at * dx, middle.y + at * dy};
}

/* Bent to the right, so that there and back are apart; from a subsystem to itself over its block. */
static struct arrow arrow_of(const struct cs_explanation *e, size_t from, size_t to) {
  const struct point a = place_of(e, from), b = place_of(e, to);
  struct arrow arrow = {.control = {0.5 * (a.x + b.x) + 0.2 * (b.y - a.y), 0.5 * (a.y + b.y) - 0.2 * (b.x - a.x)}};
  if (from == to) {
    const double half = fmin(half_width(e, from), 24.0);
    return (struct arrow){
        .from = {a.x - half, a.y - HALF}, .control = {a.x, a.y - 4.0 * HALF}, .to = {a.x + half, a.y - HALF}};
  }
  arrow.from = border(e, from, arrow.control);
  arrow.to = border(e, to, arrow.control);
  return arrow;
}

static bool connects(const struct cs_explanation *e, size_t link, size_t from, size_t to) {
  const struct cs_link *l = &e->network.link[link];
  return e->model->output[l->from].subsystem == from && e->model->input[l->to].subsystem == to;
}

/* At least half as much as on the connection that matters most. */
static bool is_guilty(const struct cs_explanation *e, size_t link) {
  double most = 0.0;
  if (e->leadings == 0) return false;
  for (size_t i = 0; i < e->network.links; i++)
    most = fmax(most, fabs(e->leading->sensitivity[i]));
  return most > 0.0 && fabs(e->leading->sensitivity[link]) >= 0.5 * most;
}

/* The outputs that are sent if they are few, and all connections for who points there. */
static void add_label(const struct cs_explanation *e, size_t from, size_t to, const struct arrow *arrow,
                      struct cs_text *svg) {
  size_t count = 0, shown = 0;
  cs_text_add(svg, "<title>");
  for (size_t i = 0; i < e->network.links; i++) {
    if (!connects(e, i, from, to)) continue;
    cs_explain_add_link(e, i, " \342\206\222 ", svg);
    if (e->leadings > 0) cs_text_add(svg, ": %.3f", e->leading->sensitivity[i]);
    count++;
    cs_text_add(svg, "\n");
  }
  cs_text_add(svg,
              "</title><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"11\" fill=\"%s\" stroke=\"#fff\" "
              "stroke-width=\"3\" paint-order=\"stroke\">",
              0.25 * (arrow->from.x + arrow->to.x) + 0.5 * arrow->control.x,
              0.25 * (arrow->from.y + arrow->to.y) + 0.5 * arrow->control.y + 4.0,
              arrow->guilty ? "#b33c00" : "#1b1f24");
  for (size_t i = 0; i < e->network.links; i++) {
    const struct cs_signal *sent = &e->model->output[e->network.link[i].from];
    if (count > NAMED || !connects(e, i, from, to)) continue;
    cs_text_add(svg, "%s%s", shown++ > 0 ? ", " : "", strchr(sent->name, '.') + 1);
  }
  if (count > NAMED) cs_text_add(svg, "%zu signals", count);
  cs_text_add(svg, "</text>");
}

static void add_arrow(const struct cs_explanation *e, size_t from, size_t to, bool guilty, struct cs_text *svg) {
  struct arrow a = arrow_of(e, from, to);
  const char *colour = guilty ? "#d55e00" : "#57606a";
  const double dx = a.to.x - a.control.x, dy = a.to.y - a.control.y, length = fmax(hypot(dx, dy), 1e-9);
  const double ux = 8.0 * dx / length, uy = 8.0 * dy / length;
  a.guilty = guilty;
  cs_text_add(svg,
              "<g><path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"/>"
              "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\" fill=\"%s\"/>",
              a.from.x, a.from.y, a.control.x, a.control.y, a.to.x - ux, a.to.y - uy, colour, guilty ? "2.5" : "1.2",
              a.to.x, a.to.y, a.to.x - ux + 0.5 * uy, a.to.y - uy - 0.5 * ux, a.to.x - ux - 0.5 * uy,
              a.to.y - uy + 0.5 * ux, colour);
  add_label(e, from, to, &a, svg);
  cs_text_add(svg, "</g>\n");
}

/* The arrows between all subsystems, red ones or the others. */
static void add_arrows(const struct cs_explanation *e, bool guilty, struct cs_text *svg) {
  for (size_t from = 0; from < e->network.parts; from++)
    for (size_t to = 0; to < e->network.parts; to++) {
      bool there = false, red = false;
      for (size_t i = 0; i < e->network.links; i++)
        if (connects(e, i, from, to)) {
          there = true;
          red = red || is_guilty(e, i);
        }
      if (there && red == guilty) add_arrow(e, from, to, guilty, svg);
    }
}

bool cs_explain_draw_network(const struct cs_explanation *e, struct cs_text *svg) {
  if (e->network.parts > MOST || e->network.parts == 0) return false;
  cs_explain_begin_picture(WIDTH, height_of(e), svg);
  add_arrows(e, false, svg);
  add_arrows(e, true, svg);
  for (size_t i = 0; i < e->network.parts; i++) {
    const struct point middle = place_of(e, i);
    const double half = half_width(e, i);
    cs_text_add(svg,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"3\" fill=\"#fff\" stroke=\"#1b1f24\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
                middle.x - half, middle.y - HALF, 2.0 * half, 2 * HALF, middle.x, middle.y + 4.0,
                e->network.part[i].name);
  }
  cs_text_add(svg, "</svg>\n");
  return true;
}
