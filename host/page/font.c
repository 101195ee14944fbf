#include "font.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "child.h"

/* In the child: fontconfig's program prints the families of the font that it would take, "DejaVu Sans,...". */
static void ask(FILE *to, void *context) {
  if (dup2(fileno(to), 1) < 0 || freopen("/dev/null", "w", stderr) == NULL) return;
  execlp("fc-match", "fc-match", "-f", "%{family}", "--", (const char *)context, (char *)NULL);
}

static bool names_style(const char *family) {
  static const char *const styles[] = {"sans-serif", "sans", "serif", "monospace", "mono", "cursive", "fantasy"};
  for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
    if (strcasecmp(family, styles[i]) == 0) return true;
  return false;
}

bool cs_font_exists(const char *family, struct cs_text *instead) {
  struct cs_child child;
  struct cs_error unsaid;
  char found[256] = "", pattern[512] = "";
  for (size_t i = 0, at = 0; family[i] != '\0' && at + 3 < sizeof pattern; i++) { /* a dash begins a size */
    if (family[i] == '-' || family[i] == ':' || family[i] == '\\') pattern[at++] = '\\';
    pattern[at++] = family[i];
  }
  if (names_style(family) || cs_child_open(ask, pattern, &child, &unsaid) != CS_OK) return true;
  const size_t length = fread(found, 1, sizeof found - 1, child.from);
  struct cs_text why = {0};
  cs_child_close(&child, &why);
  cs_text_free(&why);
  found[length] = '\0';
  if (length == 0) return true;
  for (const char *at = found; *at != '\0';) {
    const size_t name = strcspn(at, ",");
    if (name == strlen(family) && strncasecmp(at, family, name) == 0) return true;
    at += name + (at[name] == ',');
  }
  cs_text_append(instead, found, strcspn(found, ","));
  return false;
}
