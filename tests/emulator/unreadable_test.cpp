// tests/emulator/unreadable_test.cpp: PTX in any spacing is read; what cannot be refuses nothing
// else.
#include "tests/emulator/fixture.h"

namespace warpscope {
namespace {

constexpr const char* kHead = ".version 9.0\n.target sm_90\n.address_size 64\n";
constexpr const char* kTail = "\n.file 1 \"test.cu\"\n";

// An entry `name` of one pointer that stores what `body` leaves in %r1; it begins at line 10 of the
// source, its body at 11.
std::string entry(const std::string& name, const std::string& body) {
  return ".visible .entry " + name +
         "(.param .u64 p)\n{\n.reg .b32 %r<9>;\n.reg .b64 %l<9>;\n.loc 1 10 1\nld.param.u64 %l1, "
         "[p];\n.loc 1 11 1\n" +
         body + "\n.loc 1 12 1\nst.global.u32 [%l1], %r1;\nret;\n}\n";
}

struct Outcome {
  std::int32_t value = -1;
  Trace trace;
};
Outcome run_one(const std::string& ptx, const std::string& name) {
  std::vector<std::int32_t> p(1, -1);
  Bench bench;
  bench.add("p", p);
  Outcome outcome;
  outcome.trace = bench.run(ptx, launch_of(1, 1), name);
  outcome.value = p[0];
  return outcome;
}

// Each leaves 42 in %r1.
const char* const kSpacings[] = {
    "{.reg.b32         hl, hu;\nmov.b32 hl, 42;\nmov.b32 %r1, hl;\n}",
    "{ .reg\t.b32\n hl\n,\nhu ; mov.b32 hl,42;mov.b32 %r1,hl;}",
    "{.reg.b32 a;{.reg.b32 a;mov.b32 a,41;add.u32 %r1,a,1;}}",
    "{.reg.pred p,q;.reg.b16 h;setp.eq.u32 p,1,1;mov.b16 h,42;cvt.u32.u16 %r1,h;@!p mov.b32 "
    "%r1,0;}",
    "{.reg/* any */.b32/* space */x;mov.b32 x,42;mov.b32 %r1,x;}",
    "mov .b32 %r1, 40;\nadd\n.s32 %r1, %r1, 2;",
    "{.shared.align 4 .b32 s; .local.align 8 .b8 d[16]; st.shared.u32 [s], 42; ld.shared.u32 %r1, "
    "[s];}",
    "{.param.b32 q; st.param.b32 [q], 42; ld.param.b32 %r1, [q];}",
    ".loc 1 11 5, a_word_of_later_times 7\nmov.b32 %r1, 42;",
};

TEST(Unreadable, DeclarationsAreReadInAnySpacing) {
  for (const char* body : kSpacings) {
    SCOPED_TRACE(body);
    const Outcome one = run_one(kHead + entry("k", body) + kTail, "k");
    EXPECT_EQ(faults_text(one.trace), "");
    EXPECT_EQ(one.value, 42);
  }
}

// Bodies of an entry `broken`: the line of PTX that the fault names, counted from its own first.
struct Broken {
  const char* name;
  std::string body;
  int line;  // of the source
  const char* words;
};
const Broken kBroken[] = {
    {"an operand", "mov.b32 %r1, ~5;", 11, "expected a value, found \"~\""},
    {"a missing semicolon", "mov.b32 %r1, 5\nmov.b32 %r2, 6;", 11,
     "expected ';', found \"mov.b32\""},
    {"a declaration", "{ .reg .v4 .b32 x; mov.b32 %r1, 3; }", 11, "registers of vector types"},
    {"a directive", ".unheard of;\nmov.b32 %r1, 3;", 11, "unknown directive .unheard"},
    {"an array", "{ .shared .b8 s[99999999999]; mov.b32 %r1, 3; }", 11, "an array is too large"},
    {"a label that a statement swallowed", "bra L;\n?? L:\nmov.b32 %r1, 3;", 11,
     "bra goes to L, which is not there"},
    {"an open vector", "mov.b64 {%r1, %r2, %l1;", 11, "expected '}', found \";\""},
    {"a brace too many", "{ mov.b32 %r1, 3;", 10, "the function broken does not end"},
    {"a brace too early", "mov.b32 %r1, 3; }", 10,
     "expected a function or a variable, found \"st.global.u32\""},
};

TEST(Unreadable, OneFunctionFaultsAtItsLineAndTheOthersRun) {
  for (const Broken& broken : kBroken) {
    SCOPED_TRACE(broken.name);
    const std::string text = kHead + entry("before", "mov.b32 %r1, 1;") +
                             entry("broken", broken.body) + entry("behind", "mov.b32 %r1, 2;") +
                             kTail;
    for (const auto& [name, value] : {std::pair{"before", 1}, std::pair{"behind", 2}}) {
      const Outcome good = run_one(text, name);
      EXPECT_EQ(faults_text(good.trace), "");
      EXPECT_EQ(good.value, value);
    }
    const Outcome bad = run_one(text, "broken");
    EXPECT_EQ(bad.value, -1);
    ASSERT_EQ(bad.trace.faults.size(), 1u) << faults_text(bad.trace);
    const Fault& fault = bad.trace.faults[0];
    EXPECT_EQ(fault.kind, FaultKind::unsupported);
    EXPECT_EQ(fault.position.line, broken.line) << fault.sentence;
    EXPECT_NE(fault.sentence.find(broken.words), std::string::npos) << fault.sentence;
  }
}

TEST(Unreadable, ADeviceFunctionFaultsOnlyWhereItIsReached) {
  const std::string function =
      ".func (.param .b32 o) f(.param .b32 i)\n{\n.reg .b32 %r<3>;\n.loc 1 5 1\nfoo.b32 %r1, "
      "?;\nret;\n}\n";
  const std::string call =
      "setp.eq.u64 %q, %l1, 0;\n@%q bra T;\nmov.b32 %r1, 7;\nbra.uni D;\nT:\n{.param .b32 a; "
      "st.param.b32 [a], 1; .param .b32 r; call.uni (r), f, (a); ld.param.b32 %r1, [r];}\nD:";
  std::string skips = "{.reg .pred %q;\n" + call + "\n}", reaches = skips;
  reaches.replace(reaches.find("@%q"), 3, "@!%q");
  const std::string text =
      kHead + function + entry("skips", skips) + entry("reaches", reaches) + kTail;
  const Outcome good = run_one(text, "skips");
  EXPECT_EQ(faults_text(good.trace), "");
  EXPECT_EQ(good.value, 7);
  const Outcome bad = run_one(text, "reaches");
  ASSERT_EQ(bad.trace.faults.size(), 1u);
  EXPECT_EQ(bad.trace.faults[0].position.line, 5);
  EXPECT_NE(bad.trace.faults[0].sentence.find("PTX line 8 cannot be read"), std::string::npos)
      << bad.trace.faults[0].sentence;
}

TEST(Unreadable, ParametersThatCannotBeReadCostTheirFunctionAlone) {
  const std::string function = ".func g(.param .mystery x)\n{\nret;\n}\n";
  const std::string launched = ".visible .entry e(.param .mystery x)\n{\nret;\n}\n";
  const std::string text =
      kHead + function + launched +
      entry("k", "{.param .b32 a; st.param.b32 [a], 1; call.uni g, (a);}\nmov.b32 %r1, 1;") +
      entry("good", "mov.b32 %r1, 3;") + kTail;
  EXPECT_EQ(run_one(text, "good").value, 3);
  const Outcome caller = run_one(text, "k");
  ASSERT_EQ(caller.trace.faults.size(), 1u);
  EXPECT_NE(caller.trace.faults[0].sentence.find("calls g, but PTX line 4 cannot be read"),
            std::string::npos)
      << caller.trace.faults[0].sentence;
  const Result<Program> program = Program::parse(text, "test.cu");
  ASSERT_TRUE(program);
  const auto kernel = program->kernel("e");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().kind, ErrorKind::input);
  EXPECT_NE(kernel.error().what.find("the parameters of e are not known: PTX line 8"),
            std::string::npos)
      << kernel.error().what;
}

TEST(Unreadable, AVariableIsNamedWhereItIsUsed) {
  const std::string text = std::string(kHead) + ".global .texref tex;\n.novelty 5;\n" +
                           entry("uses", "ld.global.u32 %r1, [tex];") +
                           entry("good", "mov.b32 %r1, 3;") + kTail;
  EXPECT_EQ(run_one(text, "good").value, 3);
  const Outcome user = run_one(text, "uses");
  ASSERT_EQ(user.trace.faults.size(), 1u);
  EXPECT_NE(user.trace.faults[0].sentence.find(
                "an address that is not known: tex; PTX line 4 cannot be read"),
            std::string::npos)
      << user.trace.faults[0].sentence;
}

TEST(Unreadable, ATextWithoutAFunctionIsRefusedWithItsLine) {
  const Result<Program> program = Program::parse(".version 9.0\n.target sm_90\nhello\n", "test.cu");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, ErrorKind::input);
  EXPECT_NE(program.error().what.find("PTX line 3 cannot be read"), std::string::npos)
      << program.error().what;
}

}  // namespace
}  // namespace warpscope
