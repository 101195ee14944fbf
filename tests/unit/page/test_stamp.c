/* What figures say of their origin: chunks with right checksums, tables of objects with right places, escaped texts. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "stamp.h"

static struct cs_error error;
static const struct cs_stamp stamp = {
    .title = "<\303\204> & \360\237\230\200\a", .command = "cosweep plot a.h5", .data = "a.h5"};

Test(stamp, svg) {
  struct cs_text svg = {0};
  cs_text_add(&svg, "<svg>\n<title>Gnuplot</title>\n<desc>Produced</desc>\n<g/></svg>\n");
  cr_expect_not(cs_stamp_is_ours("svg", svg.data, svg.length));
  cr_assert_eq(cs_stamp_add("svg", &stamp, &svg, &error), CS_OK);
  cr_expect(cs_stamp_is_ours("svg", svg.data, svg.length));
  cr_expect_eq(strncmp(svg.data,
                       "<svg>\n<title>&lt;\303\204&gt; &amp; \360\237\230\200\357\277\275</title>\n<desc>cosweep ", 60),
               0, "%s", svg.data);
  cr_expect_not_null(strstr(svg.data, "\ncommand: cosweep plot a.h5\ndata: a.h5</metadata>\n<g/></svg>\n"), "%s",
                     svg.data);
  cs_text_free(&svg);
}

/* Without title and description it is said behind the root's tag; there has to be one. */
Test(stamp, svg_of_another_program) {
  struct cs_text svg = {0};
  cs_text_add(&svg, "<?xml?>\n<svg width='1'><g/></svg>\n");
  cr_assert_eq(cs_stamp_add("svg", &stamp, &svg, &error), CS_OK);
  cr_expect(cs_stamp_is_ours("svg", svg.data, svg.length));
  cr_expect_eq(strncmp(svg.data, "<?xml?>\n<svg width='1'><title>", 30), 0, "%s", svg.data);
  cs_text_free(&svg);
  cs_text_add(&svg, "nothing");
  cr_expect_eq(cs_stamp_add("svg", &stamp, &svg, &error), CS_IO);
  cs_text_free(&svg);
}

static unsigned long number(const char *bytes) {
  unsigned long value = 0;
  for (int i = 0; i < 4; i++)
    value = value << 8 | (unsigned char)bytes[i];
  return value;
}

/* Of signature, IHDR and IEND; the checksum of the chunk IEND is the known one of an empty one. */
Test(stamp, png) {
  static const char head[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\b\2\0\0\0\x90\x77\x53\xde";
  static const char end[] = "\0\0\0\0IEND\xae\x42\x60\x82";
  static const struct {
    const char *type, *text;
    size_t length;
    unsigned long crc;
  } want[] = {{"tEXt", "Source\0a.h5", 11, 0}, {"tEXt", "Comment\0cosweep plot a.h5", 25, 0}};
  struct cs_text png = {0};
  size_t at = 33, found = 0, chunks = 0;
  cs_text_append(&png, head, sizeof head - 1);
  cs_text_append(&png, end, sizeof end - 1);
  cr_assert_eq(png.length, 33 + 12);
  cr_expect_not(cs_stamp_is_ours("png", png.data, png.length));
  cr_assert_eq(cs_stamp_add("png", &stamp, &png, &error), CS_OK, "%s", error.message);
  cr_expect(cs_stamp_is_ours("png", png.data, png.length));
  for (; at < png.length; chunks++) {
    const unsigned long length = number(png.data + at);
    cr_assert_leq(at + 12 + length, png.length);
    for (size_t i = 0; i < 2; i++)
      found += length == want[i].length && memcmp(png.data + at + 4, want[i].type, 4) == 0 &&
               memcmp(png.data + at + 8, want[i].text, length) == 0;
    at += 12 + length;
  }
  cr_expect_eq(at, png.length);
  cr_expect_eq(found, 2);
  cr_expect_eq(chunks, 5);
  cr_expect_eq(memcmp(png.data + png.length - 12, end, 12), 0);
  cs_text_free(&png);
}

/* The checksum of the chunk "tEXt" "Source" "a.h5", by zlib: d764991d. */
Test(stamp, png_checksum) {
  static const char head[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\b\2\0\0\0\x90\x77\x53\xde";
  struct cs_text png = {0};
  cs_text_append(&png, head, sizeof head - 1);
  cr_assert_eq(cs_stamp_add("png", &(struct cs_stamp){.title = "", .data = "a.h5"}, &png, &error), CS_OK);
  cr_expect_eq(number(png.data + png.length - 4), 0xd764991dul, "%lx", number(png.data + png.length - 4));
  cs_text_free(&png);
}

Test(stamp, pdf) {
  static const char *const start =
      "%PDF-1.5\n1 0 obj\n<<>>\nendobj\nxref\n0 2\ntrailer\n<< /Size 2\n /Root 1 0 R\n /Info 1 0 R "
      ">>\nstartxref\n30\n%%EOF\n";
  struct cs_text pdf = {0};
  cs_text_add(&pdf, "%s", start);
  const size_t before = pdf.length;
  cr_expect_not(cs_stamp_is_ours("pdf", pdf.data, pdf.length));
  cr_assert_eq(cs_stamp_add("pdf", &stamp, &pdf, &error), CS_OK, "%s", error.message);
  cr_expect(cs_stamp_is_ours("pdf", pdf.data, pdf.length));
  cr_expect_eq(memcmp(pdf.data, start, before), 0);
  cr_expect_eq(strncmp(pdf.data + before, "2 0 obj\n<< /Creator (cosweep ", 30 - 1), 0);
  cr_expect_not_null(strstr(pdf.data + before,
                            "/Title <FEFF003C00C4003E0020002600"
                            "20D83DDE00FFFD>\n"),
                     "%s", pdf.data + before);
  const char *table = strstr(pdf.data + before, "\nxref\n2 1\n"), *end = strstr(pdf.data + before, "startxref\n");
  cr_assert(table != NULL && end != NULL);
  cr_expect_eq(strtoul(end + 10, NULL, 10), (unsigned long)(table + 1 - pdf.data));
  cr_expect_eq(strtoul(table + 10, NULL, 10), before);
  cr_expect_not_null(strstr(pdf.data + before, "/Size 3\n   /Root 1 0 R\n   /Info 2 0 R\n   /Prev 30\n"));
  cs_text_free(&pdf);
}

Test(stamp, other_bytes) {
  static const char *const formats[] = {"svg", "png", "pdf"}, *const bytes[] = {"", "%PDF-",
                                                                                "trailer /Size 1 /Root 1 startxref",
                                                                                "</desc><title>"};
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 4; k++) {
      struct cs_text text = {0};
      cs_text_append(&text, bytes[k], strlen(bytes[k]));
      cr_expect_eq(cs_stamp_add(formats[i], &stamp, &text, &error), CS_IO, "%s: %s", formats[i], bytes[k]);
      cr_expect_not(cs_stamp_is_ours(formats[i], bytes[k], strlen(bytes[k])));
      cs_text_free(&text);
    }
}
