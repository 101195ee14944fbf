/* What reaches beyond a source text, however it is written, and what only looks like that. */
#include "source.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct {
  size_t line; /* 0: nothing is found */
  const char *found, *text;
} rows[] = {
    {0, "", ""},
    {0, "", "int include, import = 1; /* #include \"a\" __TIME__ */ // #include \"a\"\n#define A 1\n#pragma unroll\n"},
    {0, "", "const char *s = \"\\\n#include \\\"a\\\"\";\nint c = '\\'' + 1; // '\n"},
    {0, "", "a = b\n % c; x <:#include:> y\n"},
    {0, "", "#define CAT(a, b) a##b\nint CAT(dx, _dt), include_next;\n#line 7 \"#include\"\n#error #include \"a\"\n"},
    {0, "", "/* \\\n*\\\n/ #\\\n if 1\n # /* a */ endif\n#\n##\n"},
    {0, "", "__TIMES__ __FILE_NAME__ has__include X__TIME__ 7__DATE__"},
    {1, "#include", "#include \"gain.h\"\n"},
    {1, "#include", "#include GAIN\n"},
    {3, "#include", "\n\n \t#\f include<gain.h>"},
    {2, "#include", "/* a\n*/ # /* b\n c */ include \"gain.h\""},
    {2, "#include", "\n%: include \"gain.h\""},
    {4, "#include", "int a;\\\nint b;\n\n#inc\\\nlude \"gain.h\""},
    {1, "#include", "#\\ \t\r\ninclude \"gain.h\""},
    {2, "#include", "// a comment\r#include \"gain.h\""},
    {3, "#include", "// a comment\\\r\n#include \"no\"\n#include \"gain.h\""},
    {2, "#include", "'\n#include \"gain.h\""},
    {1, "#include", "\302\240#\302\240include \"gain.h\""},
    {2, "#include", "#warning /*\n#include \"gain.h\"\n/* */"},
    {3, "#include", "#if 0\ndon't /* so\n#include \"gain.h\"\n#endif"},
    {1, "#include_next", "#include_next <a>"},
    {1, "#import", "#import \"a\""},
    {1, "#embed", "#embed \"a\""},
    {1, "#pragma", "#pragma GCC dependency \"a\""},
    {1, "__has_include", "#if __has_include(\"gain.h\")"},
    {2, "__has_include_next", "#ifdef A\n#elif defined A && __has_include_next(<a>)"},
    {1, "__has_embed", "#if __has_embed(\"a\")"},
    {1, "__TIME__", "#define GAIN (__TIME__[7] - '0')"},
    {2, "__TIME__", "\n__TI\\\nME__"},
    {1, "__DATE__", "-__DATE__[0]"},
    {1, "__TIMESTAMP__", "int a = sizeof __TIMESTAMP__;"},
    {1, "__FILE__", "sizeof(__FILE__)"},
    {1, "__BASE_FILE__", "sizeof(__BASE_FILE__)"},
    {1, "__builtin_FILE", "__builtin_FILE()[0]"},
    {1, "_Pragma", "_Pragma(\"GCC dependency \\\"a\\\"\")"},
    {1, "## beside __TI", "#define CAT(a, b) a##b\nCAT(__TI, ME__)"},
    {1, "## beside _", "#define CAT(a, b) a %:%: b\nCAT(_, _TIME__)"},
    {2, "\?\?/", "/* a */\n// \?\?/\n#include \"gain.h\""},
    {1, "\?\?=", "\?\?=include \"gain.h\""},
    {1, "\?\?'", "x \?\?' y"},
};

Test(source, what_reaches_beyond_the_text_is_found) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct cs_text found = {0};
    const size_t line = cs_source_beyond(rows[i].text, &found);
    cr_expect_eq(line, rows[i].line, "%s: line %zu", rows[i].text, line);
    cr_expect_str_eq(cs_text_string(&found), rows[i].found, "%s", rows[i].text);
    cs_text_free(&found);
  }
}
