// tests/fuzz/text_files_test.cpp: no gate, exercise, claim, table or listing of machine code,
// however broken, crashes its reader.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "profiling/claims/claim.h"
#include "profiling/emulator/sass/read/machine_text.h"
#include "profiling/figures/csv_text.h"
#include "profiling/gate/gate_file.h"
#include "profiling/gate/gate_record.h"
#include "profiling/grading/exercise.h"
#include "scenes/catalogue.h"
#include "scenes/host/input_file.h"
#include "tests/folders.h"
#include "tests/fuzz/mutation.h"

namespace warpscope {
namespace {

const std::vector<std::string> kToml = {"[",    "]",          "[[kernel]]", "[[goal]]",
                                        "=",    "\"",         "'''",        "{",
                                        "}",    ",",          "\n",         "#",
                                        "true", "-1",         "1e999",      "99999999999999999999",
                                        "0x7f", "1979-05-27", "\\u0000",    "\xff",
                                        "%",    "a.b.c = 1\n"};

void expect_explained(const Error& error, const std::string& text) {
  EXPECT_FALSE(error.what.empty()) << text;
  EXPECT_NE(error.kind, ErrorKind::internal) << sentence(error) << "\n" << text;
}

TEST(Fuzz, AGateIsReadOrRefusedWithASentence) {
  const std::string own =
      "architectures = [90, 80]\n[allow]\ninstructions = \"1%\"\nglobal_sectors = 4\n[[kernel]]\n"
      "name = \"a\"\nscene = \"patterns/copy\"\naxes = { n = 1000, op = \"copy\" }\n[[kernel]]\n"
      "launch = \"norm.toml\"\nvalues = { rows = 128 }\noutputs = false\n";
  GateRecord record{90, "a", "second", {{"instructions", 928}}, {{"y", {"5f3a", ""}}}, {}};
  record.lines = {{"copy.cu", "y[i] = x[i];", 16, {{"global_sectors", 256}}}};
  const std::string whole = with_recorded(own, {"13.0", {record, record}});
  for_mutations({own, whole}, kToml, [](const std::string& text) {
    const Result<GateFile> file = parse_gate_file(own_part(text), "fuzz");
    const Result<GateRecords> recorded = parse_recorded(text, "fuzz");
    if (!file) expect_explained(file.error(), text);
    if (!recorded) {
      expect_explained(recorded.error(), text);
    } else {
      EXPECT_TRUE(parse_recorded(with_recorded(text, *recorded), "fuzz")) << text;
    }
  });
}

TEST(Fuzz, AnExerciseIsReadOrRefusedWithASentence) {
  std::vector<std::string> seeds;
  for (const char* const name : {"convolution", "saxpy"}) {
    const Result<std::string> text = read_input(
        source_folder() / "assets/exercises" / name / "exercise.toml", kMostTextFileBytes);
    ASSERT_TRUE(text);
    seeds.push_back(*text);
  }
  for_mutations(seeds, kToml, [](const std::string& text) {
    const Result<Exercise> exercise = parse_exercise(text, "fuzz");
    if (!exercise) expect_explained(exercise.error(), text);
  });
}

TEST(Fuzz, AClaimIsReadOrRefusedWithASentence) {
  Catalogue catalogue;
  const Result<const Scene*> scene = catalogue.find("csrmm");
  ASSERT_TRUE(scene);
  const std::vector<std::string> words = {
      "(", ")",    "/",     "*", "<",    ">=",   "and", "not",     "time",     ".", "[",
      "]", "n=64", "1e999", "%", "min(", "fits", "\"",  "fastest", "((((((((", "-"};
  for_mutations({"time(k_tiles) < time(float4_columns)", "device.l2_bytes",
                 "fastest(k_tiles, n=64) and not slower(row_split)",
                 "time.warm(k_tiles) / time.warm(cusparse_alg2) > 1.5"},
                words, [&](const std::string& text) {
                  const Result<Claim> claim = parse_claim(text, **scene);
                  if (!claim) expect_explained(claim.error(), text);
                });
}

TEST(Fuzz, ATableIsReadOrRefusedWithASentence) {
  for_mutations({"a,b\n1,2\n", "\"a\"\"b\",\"c\nd\"\r\n,\n"}, {",", "\"", "\n", "\r", "\xff"},
                [](const std::string& text) {
                  const auto rows = parse_csv(text);
                  if (!rows) expect_explained(rows.error(), text);
                });
}

TEST(Fuzz, AListingOfMachineCodeIsReadOrRefusedWithASentence) {
  const std::string listing =
      "\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n"
      "        /*0000*/                   MOV R1, c[0x0][0x28] ;\n"
      "        /*0010*/              @!P0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64+0x10] ;\n"
      ".L_x_1:\n        /*0020*/                   FFMA R5, R4.reuse, -|R6|, 1.5 ;\n"
      "        /*0030*/                   BRA `(.L_x_1) ;\n        /*0040*/                   EXIT "
      ";\n";
  const std::vector<std::string> words = {
      "/*",    "*/",    ";",  "R255", "@",  "[",    "]",     "`(",     "|",        "-",
      ".L_x_", "desc[", "\n", "UR",   "0x", "\xff", "1e999", "c[0x0]", ".text.k:", "/*ffff*/"};
  for_mutations({listing}, words, [](const std::string& text) {
    const Result<MachineFunction> function = read_machine_text(text, "k");
    if (!function) {
      expect_explained(function.error(), text);
    } else {
      static_cast<void>(called_functions(*function));
    }
    static_cast<void>(live_registers(text, "k"));
  });
}

}  // namespace
}  // namespace warpscope
