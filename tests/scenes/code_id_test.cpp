// tests/scenes/code_id_test.cpp: a figure's code is its tokens: looks change nothing, code does.
#include "scenes/base/texts/code_id.h"

#include <gtest/gtest.h>

#include <set>

#include "scenes/base/texts/code_tokens.h"
#include "tests/scenes/small_configurations.h"
#include "tests/scenes/tested_scenes.h"

namespace warpscope {
namespace {

TEST(CodeTokens, AreEqualWhereACompilerReadsTheSame) {
  const std::pair<const char*, const char*> cases[] = {
      {"int a = b + c;", "int   a=b\n+c ; // a sum"},
      {"int a;", "/* of\nlines */ int /**/ a;"},
      {"float x = 1.5e-3f;", "float x = 1.5e-3f ;"},
      {"return a\\\n + b;", "return a + b;"},
      {"retu\\\nrn a;", "return a;"},
      {"retu\\\r\nrn a;\r\n", "return a;\n"},
      {"#define A(x) x\nint b;", "  # define   A(x)   x // a\nint b;"},
      {"#define A (x)", "#define A  (x)"},
      {"#if A /* over\nlines */ > 1\nint b;\n#endif", "#if A>1\nint b;\n#endif"},
      {"k<<<1, 2>>>(x);", "k <<< 1,2 >>> ( x ) ;"},
      {"char c = '\"'; // \"", "char c = '\"';"},
      {"#error it's wrong // a\nint a;", "#error it's wrong\nint a;"},
      {"int a = 1'000; // b's", "int a = 1'000;"},
      {"", "// nothing\n\n"},
  };
  for (const auto& [a, b] : cases) EXPECT_EQ(code_tokens(a), code_tokens(b)) << a << "\n" << b;
}

TEST(CodeTokens, DifferWhereACompilerReadsSomethingElse) {
  const std::pair<const char*, const char*> cases[] = {
      {"int ab;", "int a b;"},
      {"a++b", "a+ +b"},
      {"a - -b", "a--b"},
      {"f<g<int>>(x)", "f<g<int> >(x)"},
      {"1 .x", "1.x"},
      {"\"a  b\"", "\"a b\""},
      {"\"// a\"", "\"\""},
      {"'/*' '*/'", "''"},
      {"R\"(a\n b)\"", "R\"(a\nb)\""},
      {"R\"x(\\\n)x\"", "R\"x()x\""},
      {"R\"x()\" // a)x\"", "R\"x()\" // b)x\""},
      {"#define A(x) x", "#define A (x) x"},
      {"#define A x\ny", "#define A x y"},
      {"#define A \\\n x\ny", "#define A\nx y"},
      {"\"a\\\"// b\"", "\"a\\\"\" // b"},
      {"u8\"a\"", "u8 \"a\""},
      {"int a = 1'000;", "int a = 1'001;"},
      {"x = 0x1p-3f;", "x = 0x1p - 3f;"},
      {"int a;", "int a; int b;"},
  };
  for (const auto& [a, b] : cases) EXPECT_NE(code_tokens(a), code_tokens(b)) << a << "\n" << b;
}

TEST(CodeTokens, OfForeignPtxLeaveOutWhereItsSourceLay) {
  const std::string one =
      ".version 8.0\n.target sm_80\n.visible .entry k()\n{\n\t.loc\t1 3 5\n\tret;\n}\n"
      "\t.file\t1 \"/a/b.cu\"\n\t.section\t.debug_line\n\t{\n.b8 1\n.b8 2\n\t}\n";
  const std::string other =
      "// of another compiler\n.version 8.0\n.target sm_80\n.visible .entry k()\n{\n"
      "\t.loc\t1 33 5, function_name $L__info_string0, inlined_at 1 2 3\n\tret;\n}\n"
      "\t.file\t1 \"/c/d.cu\", 12, 13\n\t.section\t.debug_line\n\t{\n.b8 7\n\t}\n";
  EXPECT_EQ(ptx_tokens(one), ptx_tokens(other));
  std::string changed = one;
  changed.replace(changed.find("ret;"), 4, "trap;");
  EXPECT_NE(ptx_tokens(one), ptx_tokens(changed));
  std::string later = one;  // text after a debug section counts
  EXPECT_NE(ptx_tokens(later + ".global .u32 g;\n"), ptx_tokens(later));
}

// source: C++17 (N4659), [lex.comment], [lex.string], [lex.phases].
TEST(CodeLines, AreTheTextWithoutCommentsAndWithEveryLineBreak) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"int a;\n", "int a;\n"},
      {"int a;  // a sum\nint b;", "int a;\nint b;"},
      {"// one\n  // two\n\nint a;\n", "\n\n\nint a;\n"},
      {"int a;  /* over\n  three\n lines */ int b;", "int a;\n\n int b;"},
      {"f(/* first */ 1);", "f(  1);"},
      {"int /**/a;", "int  a;"},
      {"int a; \t\r\nint b;  ", "int a;\nint b;"},
      {"  int a;\n\tint b;", "  int a;\n\tint b;"},
      {"s = \"// no\"; // yes", "s = \"// no\";"},
      {"s = \"/* no\"; /* yes */", "s = \"/* no\";"},
      {"s = \"a\\\"// no\"; // yes", "s = \"a\\\"// no\";"},
      {"c = '\"'; // \"", "c = '\"';"},
      {"c = '//'; // yes", "c = '//';"},
      {"n = 1'000; // b's", "n = 1'000;"},
      {"s = R\"x(// no\n/* no )\" */)x\"; // yes", "s = R\"x(// no\n/* no )\" */)x\";"},
      {"// goes on \\\nhere\nint a;", "\n\nint a;"},
      {"#define A \\\n  1  // one\nint a;", "#define A \\\n  1\nint a;"},
      {"a = b / c; // d", "a = b / c;"},
      {"a = b /* never ends\n", "a = b\n"},
      {"#error it's wrong // a\nint a;", "#error it's wrong\nint a;"},
      {"/* a // b */ int c;", "  int c;"},
      {"// a /* b\nint c;", "\nint c;"},
  };
  for (const auto& [text, lines] : cases) EXPECT_EQ(code_lines(text), lines) << text;
}

// What a test changes of a variant of one kernel with one header.
struct Code {
  KernelLaunch kernel = {"own/k.cu", "k", {{"A", "1"}, {"B", "2"}}, {}, {}, false};
  std::string text = "#include \"own/h.cuh\"\nint k;  // k\n", header = "int h;\n";
  std::vector<Step> more;
  std::string version = "12.6";

  std::string id() const {
    std::vector<Step> steps = {Step{"k", Phase::run, kernel}};
    steps.insert(steps.end(), more.begin(), more.end());
    const auto found = code_id(
        steps,
        sources_among({kernel_source("own/k.cu", text), kernel_source("own/h.cuh", header),
                       kernel_source("own/other.cuh", "int other;")}),
        [this](std::string_view library) -> std::optional<std::string> {
          return library == "cusparse" && !version.empty() ? std::optional(version) : std::nullopt;
        });
    EXPECT_TRUE(found) << sentence(found.error());
    return found ? found->value_or("") : "";
  }
  template <typename Change>
  Code with(Change change) const {
    Code other = *this;
    change(other);
    return other;
  }
};

TEST(CodeId, StaysWhereOnlyLooksAndCircumstancesChange) {
  const Code code;
  EXPECT_EQ(code.id().size(), 32u);
  EXPECT_EQ(code.with([](Code& c) { c.text += "// more\n"; }).id(), code.id());
  EXPECT_EQ(code.with([](Code& c) { c.header = "\n int  h; /* h */"; }).id(), code.id());
  EXPECT_EQ(code.with([](Code& c) { c.kernel.launch.grid.x = 7; }).id(), code.id());
  EXPECT_EQ(code.with([](Code& c) { std::swap(c.kernel.defines[0], c.kernel.defines[1]); }).id(),
            code.id());
}

TEST(CodeId, ChangesWithTextHeaderConstantsEntryAndSteps) {
  const Code code;
  const LibraryCall call{"cusparse.spmm.default", {}, {}};
  const Code calling = code.with([&](Code& c) { c.more = {Step{"call", Phase::run, call}}; });
  const HostStep host{{}, "-O3, one thread"};
  const Code hosting = code.with([&](Code& c) { c.more = {Step{"host", Phase::run, host}}; });
  const auto doing = [&code](auto action) {
    return code.with([&](Code& c) { c.more = {Step{"other", Phase::run, action}}; });
  };
  constexpr auto kToHost = HostCopy::Direction::to_host;
  const std::vector<Code> different = {
      code,
      code.with([](Code& c) { c.text += "int more;\n"; }),
      code.with([](Code& c) { c.header = "int g;\n"; }),
      code.with([](Code& c) { c.text = "int k;\n"; }),
      code.with([](Code& c) { c.kernel.defines[0].second = "3"; }),
      code.with([](Code& c) { c.kernel.defines.pop_back(); }),
      code.with([](Code& c) { c.kernel.entry = "l"; }),
      code.with([](Code& c) { c.kernel.architecture_features = true; }),
      code.with([](Code& c) {
        c.more = {Step{"clear", Phase::run, Memset{"c", 0}}};
      }),
      doing(Memset{"c", 0, {0, 64}}),
      doing(Memset{"c", 0, {64, 64}}),
      doing(DeviceCopy{"a", "c"}),
      doing(DeviceCopy{"a", "c", {0, 64}, {0, 64}}),
      doing(DeviceCopy{"a", "c", {64, 64}, {0, 64}}),
      doing(ConstantCopy{"own/k.cu", {}, "table", "a"}),
      doing(ConstantCopy{"own/k.cu", {}, "other", "a"}),
      doing(ConstantCopy{"own/k.cu", {{"A", "1"}}, "table", "a"}),
      doing(ConstantCopy{"own/k.cu", {}, "table", "a", {0, 64}}),
      doing(DeviceCopy{"a", "c", {0, 64}, {64, 64}}),
      doing(HostCopy{"c", kToHost}),
      doing(HostCopy{"c", kToHost, {0, 64}}),
      calling,
      calling.with([](Code& c) { c.version = "12.7"; }),
      calling.with([](Code& c) { std::get<LibraryCall>(c.more[0].action).name += "2"; }),
      hosting,
      hosting.with([](Code& c) { std::get<HostStep>(c.more[0].action).sentence = "-O2"; }),
  };
  std::set<std::string> ids;
  for (const Code& c : different) ids.insert(c.id());
  EXPECT_EQ(ids.size(), different.size());
  EXPECT_EQ(calling.with([](Code& c) { c.version = ""; }).id(), "");  // not known
}

TEST(CodeId, OfEveryVariantIsKnownOnceItsLibrariesAre) {
  const LibraryVersions some = [](std::string_view) { return std::optional<std::string>("1"); };
  const LibraryVersions none = [](std::string_view) { return std::nullopt; };
  for (const Scene& scene : tested_scenes()) {
    const Configuration axes = small_configurations(scene).front();
    Inputs inputs;
    Workload w{axes, {}};
    ASSERT_TRUE(regenerate_inputs(scene, nullptr, axes, inputs, w.facts));
    for (const Variant& v : scene.variants) {
      if (!applies(v, axes)) continue;
      EXPECT_TRUE(current_code_id(v, w, sources_on_disk(), some)) << scene.name << "/" << v.name;
      EXPECT_EQ(current_code_id(v, w, sources_on_disk(), none).has_value(), !calls_library(v, w))
          << v.name;
    }
  }
}

}  // namespace
}  // namespace warpscope
