#include "stamp.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "version.h"

static const char program[] = "cosweep " CS_VERSION;

static int fail(const char *format, struct cs_error *error) {
  return cs_error_set(error, CS_IO, "gnuplot drew something that is no %s file", format);
}

/* First place of `word` in the bytes, which may hold zeros; NULL if there is none. */
static const char *find(const char *bytes, size_t length, const char *word, size_t size) {
  for (size_t i = 0; i + size <= length; i++)
    if (bytes[i] == word[0] && memcmp(bytes + i, word, size) == 0) return bytes + i;
  return NULL;
}

/* Replaces `cut` bytes from `from` on. */
static int splice(struct cs_text *bytes, size_t from, size_t cut, const struct cs_text *with, struct cs_error *error) {
  struct cs_text whole = {0};
  cs_text_append(&whole, bytes->data, from);
  if (with->length > 0) cs_text_append(&whole, with->data, with->length);
  cs_text_append(&whole, bytes->data + from + cut, bytes->length - from - cut);
  if (whole.failed || with->failed) {
    cs_text_free(&whole);
    return cs_error_memory(error);
  }
  cs_text_free(bytes);
  *bytes = whole;
  return CS_OK;
}

/* ---- SVG */

/* What gnuplot has drawn is well-formed but for this end of a section, which it does not escape in texts. */
static void end_no_section(struct cs_text *bytes) {
  static const char begin[] = "<![CDATA[", end[] = "]]>";
  struct cs_text whole = {.failed = bytes->failed};
  const char *at = bytes->data, *next;
  for (size_t left = bytes->length; (next = find(at, left, end, sizeof end - 1)) != NULL;) {
    const size_t before = (size_t)(next - at), length = before + sizeof end - 1;
    cs_text_append(&whole, at, before);
    cs_text_add(&whole, "%s", find(at, before, begin, sizeof begin - 1) != NULL ? end : "]]&gt;");
    at += length;
    left -= length;
  }
  if (at == bytes->data) return;
  cs_text_append(&whole, at, bytes->length - (size_t)(at - bytes->data));
  cs_text_free(bytes);
  *bytes = whole;
}

static int stamp_svg(const struct cs_stamp *stamp, struct cs_text *bytes, struct cs_error *error) {
  static const char begin[] = "<title>", end[] = "</desc>";
  const char *from = find(bytes->data, bytes->length, begin, sizeof begin - 1);
  const char *to = find(bytes->data, bytes->length, end, sizeof end - 1);
  size_t length = sizeof end - 1;
  struct cs_text text = {0};
  if (from == NULL || to == NULL || to < from) { /* another program's: behind the root's tag */
    const char *root = find(bytes->data, bytes->length, "<svg", 4);
    const char *close = root != NULL ? memchr(root, '>', bytes->length - (size_t)(root - bytes->data)) : NULL;
    if (close == NULL || close[-1] == '/') return fail("SVG", error);
    from = to = close + 1;
    length = 0;
  }
  cs_text_add(&text, "<title>");
  cs_text_add_xml(&text, stamp->title);
  cs_text_add(&text, "</title>\n<desc>%s</desc>\n<metadata>program: %s", program, program);
  if (stamp->command != NULL) cs_text_add(&text, "\ncommand: "), cs_text_add_xml(&text, stamp->command);
  if (stamp->data != NULL) cs_text_add(&text, "\ndata: "), cs_text_add_xml(&text, stamp->data);
  cs_text_add(&text, "</metadata>");
  const int code = splice(bytes, (size_t)(from - bytes->data), (size_t)(to - from) + length, &text, error);
  cs_text_free(&text);
  return code;
}

/* ---- PNG */

static uint32_t crc_of(const char *bytes, size_t length) {
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < length; i++) {
    crc ^= (unsigned char)bytes[i];
    for (int bit = 0; bit < 8; bit++)
      crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

static void add_number(struct cs_text *text, uint32_t number) {
  const char bytes[] = {(char)(number >> 24), (char)(number >> 16), (char)(number >> 8), (char)number};
  cs_text_append(text, bytes, sizeof bytes);
}

static void add_chunk(struct cs_text *text, const struct cs_text *chunk) {
  text->failed = text->failed || chunk->failed;
  if (text->failed) return;
  add_number(text, (uint32_t)(chunk->length - 4)); /* without the type */
  cs_text_append(text, chunk->data, chunk->length);
  add_number(text, crc_of(chunk->data, chunk->length));
}

/* A chunk tEXt, or iTXt for what is not ASCII. */
static void add_png_text(struct cs_text *text, const char *key, const char *string) {
  struct cs_text chunk = {0};
  bool ascii = true;
  if (string == NULL || string[0] == '\0') return;
  for (const char *c = string; *c != '\0'; c++)
    ascii = ascii && (unsigned char)*c < 0x80;
  cs_text_add(&chunk, "%s%s", ascii ? "tEXt" : "iTXt", key);
  cs_text_append(&chunk, "\0\0\0\0\0", ascii ? 1 : 5); /* not compressed, no language, no translated key */
  cs_text_add(&chunk, "%s", string);
  add_chunk(text, &chunk);
  cs_text_free(&chunk);
}

enum { PNG_HEAD = 8 + 25 }; /* signature and IHDR */

static int stamp_png(const struct cs_stamp *stamp, struct cs_text *bytes, struct cs_error *error) {
  struct cs_text text = {0};
  if (bytes->length < PNG_HEAD || memcmp(bytes->data, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16) != 0)
    return fail("PNG", error);
  add_png_text(&text, "Software", program);
  add_png_text(&text, "Title", stamp->title);
  add_png_text(&text, "Comment", stamp->command);
  add_png_text(&text, "Source", stamp->data);
  const int code = splice(bytes, PNG_HEAD, 0, &text, error);
  cs_text_free(&text);
  return code;
}

/* ---- PDF */

/* "/Key <FEFF...>", UTF-16 in hexadecimal digits. */
static void add_pdf_text(struct cs_text *text, const char *key, const char *string) {
  if (string == NULL || string[0] == '\0') return;
  cs_text_add(text, "   /%s <FEFF", key);
  for (size_t length = strlen(string); length > 0;) {
    const size_t plain = cs_text_plain_length(string, length), step = plain > 0 ? plain : 1;
    const unsigned code = plain == 0 ? 0xfffd : cs_text_code(string, plain);
    if (code >= 0x10000)
      cs_text_add(text, "%04X%04X", 0xd800 + ((code - 0x10000) >> 10), 0xdc00 + ((code - 0x10000) & 0x3ff));
    else
      cs_text_add(text, "%04X", code);
    string += step;
    length -= step;
  }
  cs_text_add(text, ">\n");
}

static const char *find_last(const char *bytes, size_t length, const char *word) {
  const char *last = NULL, *next = bytes;
  const size_t size = strlen(word);
  while ((next = find(next, length - (size_t)(next - bytes), word, size)) != NULL)
    last = next++;
  return last;
}

/* Appends a new information object, and a table of objects that continues the old one. */
static int stamp_pdf(const struct cs_stamp *stamp, struct cs_text *bytes, struct cs_error *error) {
  const char *trailer = find_last(bytes->data, bytes->length, "trailer");
  const char *start = find_last(bytes->data, bytes->length, "startxref");
  const char *size = trailer != NULL ? strstr(trailer, "/Size ") : NULL,
             *root = trailer != NULL ? strstr(trailer, "/Root ") : NULL;
  if (strncmp(bytes->data, "%PDF-", 5) != 0 || start == NULL || size == NULL || root == NULL) return fail("PDF", error);
  const unsigned long objects = strtoul(size + 6, NULL, 10), catalog = strtoul(root + 6, NULL, 10);
  const unsigned long before = strtoul(start + 9, NULL, 10);
  if (objects == 0 || catalog == 0 || before == 0 || before >= bytes->length) return fail("PDF", error);
  const size_t object = bytes->length;
  cs_text_add(bytes, "%lu 0 obj\n<< /Creator (%s)\n", objects, program);
  add_pdf_text(bytes, "Title", stamp->title);
  add_pdf_text(bytes, "Subject", stamp->command);
  add_pdf_text(bytes, "Keywords", stamp->data);
  cs_text_add(bytes, ">>\nendobj\n");
  const size_t table = bytes->length;
  cs_text_add(
      bytes,
      "xref\n%lu 1\n%010zu 00000 n \ntrailer\n<< /Size %lu\n   /Root %lu 0 R\n   /Info %lu 0 R\n   /Prev %lu\n>>\n",
      objects, object, objects + 1, catalog, objects, before);
  cs_text_add(bytes, "startxref\n%zu\n%%%%EOF\n", table);
  return bytes->failed ? cs_error_memory(error) : CS_OK;
}

/* ---- all of them */

int cs_stamp_add(const char *format, const struct cs_stamp *stamp, struct cs_text *bytes, struct cs_error *error) {
  if (bytes->data == NULL) return fail(format, error);
  if (strcmp(format, "svg") == 0) end_no_section(bytes);
  if (bytes->failed) return cs_error_memory(error);
  if (strcmp(format, "svg") == 0) return stamp_svg(stamp, bytes, error);
  if (strcmp(format, "png") == 0) return stamp_png(stamp, bytes, error);
  return stamp_pdf(stamp, bytes, error);
}

bool cs_stamp_is_ours(const char *format, const char *bytes, size_t length) {
  static const char svg[] = "<metadata>program: cosweep ", png[] = "tEXtSoftware\0cosweep ",
                    pdf[] = "/Creator (cosweep ";
  if (strcmp(format, "svg") == 0) return find(bytes, length, svg, sizeof svg - 1) != NULL;
  if (strcmp(format, "png") == 0)
    return length > PNG_HEAD + 4 + sizeof png && memcmp(bytes + PNG_HEAD + 4, png, sizeof png - 1) == 0;
  return strncmp(bytes, "%PDF-", 5) == 0 && find(bytes, length, pdf, sizeof pdf - 1) != NULL;
}
