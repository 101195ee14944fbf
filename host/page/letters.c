#include "letters.h"

#include <stdbool.h>
#include <string.h>

/* Thousandths of an em of the characters from blank to ~. */
static const short widths[] = {318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
                               636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
                               1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
                               603,  787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
                               500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
                               635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838};

static const char ellipsis[] = "\342\200\246";

void cs_letters_add_plain(struct cs_text *text, const char *string, size_t length, size_t most) {
  for (size_t letters = 0; length > 0; letters++) {
    const size_t plain = cs_text_plain_length(string, length), whole = cs_text_utf8_length(string, length);
    const size_t step = plain > 0 ? plain : whole > 0 ? whole : 1;
    if (letters == most) {
      cs_text_add(text, "%s", ellipsis);
      return;
    }
    if (plain > 0)
      cs_text_append(text, string, plain);
    else
      cs_text_add(text, *string == '\n' || *string == '\t' ? " " : "\357\277\275");
    string += step;
    length -= step;
  }
}

/* Width of the character at `string`, of which `bytes` are there, in thousandths. */
static double width_of(const char *string, size_t bytes) {
  const unsigned char c = (unsigned char)*string;
  if (bytes == 1) return c >= ' ' && c <= '~' ? widths[c - ' '] : 1000;
  return c < 0xd0 ? 840 : c < 0xe1 ? 1080 : 1000; /* Latin and Greek, Cyrillic and others, all else */
}

static size_t bytes_of(const char *string, size_t length) {
  const size_t bytes = cs_text_utf8_length(string, length);
  return bytes > 0 ? bytes : 1;
}

double cs_letters_width(const char *string, size_t length, double size) {
  double width = 0.0;
  for (size_t i = 0; i < length;) {
    const size_t bytes = bytes_of(string + i, length - i);
    width += width_of(string + i, bytes);
    i += bytes;
  }
  return width * size / 1000.0;
}

size_t cs_letters_line(const char *string, double size, double width) {
  const size_t length = strcspn(string, "\n");
  size_t blank = 0, sign = 0, i = 0;
  bool unit = false; /* between brackets, which are not broken */
  for (double wide = 0.0; i < length;) {
    const size_t bytes = bytes_of(string + i, length - i);
    wide += width_of(string + i, bytes) * size / 1000.0;
    unit = string[i] == '[' || (unit && string[i] != ']');
    if (string[i] == ' ' && i > 0 && !unit) blank = i;
    if (wide > width && i > 0) return blank > 0 ? blank : sign > 0 ? sign : i;
    if (!unit && strchr(",.:/_=", string[i]) != NULL) sign = i + 1;
    i += bytes;
  }
  return length;
}

size_t cs_letters_skip(const char *rest) {
  return *rest == ' ' || *rest == '\n';
}

/* Appends as much of `string` as fits with an ellipsis behind it. */
static void add_shortened(struct cs_text *text, const char *string, double size, double width) {
  const double room = width - cs_letters_width(ellipsis, sizeof ellipsis - 1, size);
  const size_t length = strcspn(string, "\n");
  size_t i = 0;
  for (double wide = 0.0; i < length;) {
    const size_t bytes = bytes_of(string + i, length - i);
    wide += width_of(string + i, bytes) * size / 1000.0;
    if (wide > room) break;
    i += bytes;
  }
  cs_text_append(text, string, i);
  cs_text_add(text, "%s", ellipsis);
}

size_t cs_letters_wrap(const char *string, double size, double width, size_t most, struct cs_text *list) {
  size_t lines = 0;
  while (*string != '\0' && lines < most) {
    const size_t length = cs_letters_line(string, size, width);
    const size_t next = length + cs_letters_skip(string + length);
    if (lines + 1 == most && string[next] != '\0')
      add_shortened(&list[lines], string, size, width);
    else
      cs_text_append(&list[lines], string, length);
    lines++;
    string += next;
  }
  return lines;
}
