// tests/workbench/commands/command_budget_test.cpp: whole commands on sessions that were made to be
// costly.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "profiling/messages/packed_text.h"
#include "tests/fuzz/budget.h"
#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

class CommandBudget : public CommandLine {
 protected:
  // Lines of `line(number)` up to the size of an input.
  std::string session_of(const std::string& name,
                         const std::function<std::string(const std::string&)>& line) const {
    std::string text = R"({"type":"hello","role":"measure"})"
                       "\n";
    for (int i = 0; text.size() < most_input_bytes - 1000; ++i)
      text += line(std::to_string(i)) + "\n";
    return write(name, text);
  }
  // Any status that says what is wrong will do; a signal, a time-out or a defect will not.
  void expect_all_within_budget(const std::string& session) const {
    for (const std::string command :
         {"export {s} --csv {o}/a.csv --json {o}/a.json --trace {o}/t.json --wsj {o}/a.wsj.gz",
          "export {s} --csv {o}/a.csv --wide", "compare {s} {s}", "agree model --session {s}",
          "agree emulator --session {s}", "render {s} --out {o}/a.png",
          "render {s} --panel sweep --out {o}/a.png", "report {s} --out {o}/report"}) {
      std::string arguments = command;
      for (const auto& [mark, by] :
           {std::pair<std::string, std::string>("{s}", session), {"{o}", path("made")}}) {
        for (std::size_t at = arguments.find(mark); at != std::string::npos;
             at = arguments.find(mark))
          arguments.replace(at, mark.size(), by);
      }
      expect_within_budget(command + " of " + session, [&] {
        const Ran ran = run(arguments, "", 120);
        if (ran.status < 0 || ran.status > 3 || ran.err.find("defect") != std::string::npos)
          throw std::runtime_error(std::to_string(ran.status) + " " + ran.err);
      });
    }
  }
  void SetUp() override {
    CommandLine::SetUp();
    std::filesystem::create_directories(path("made"));
  }
};

TEST_F(CommandBudget, OfManyPoints) {
  expect_all_within_budget(session_of("points.wsj", [](const std::string& i) {
    return R"({"type":"measurement","scene":"csrmm","variant":"float4_columns","key":"n=)" + i +
           R"(","axes":{"n":)" + i +
           R"(},"warm":{"samples_ns":[9,8]},"verdict":{"outcome":"correct"}})";
  }));
}

TEST_F(CommandBudget, OfManyVariants) {
  expect_all_within_budget(session_of("variants.wsj", [](const std::string& i) {
    return R"({"type":"measurement","scene":"csrmm","variant":")" + i + R"(","key":"n=1"})";
  }));
}

TEST_F(CommandBudget, OfManyTraces) {
  expect_all_within_budget(session_of("traces.wsj", [](const std::string& i) {
    return R"({"type":"trace","scene":"csrmm","variant":"float4_columns","key":"n=256","step":")" +
           i + R"(","launch":{"grid":[1,1,1],"block":[32,1,1]}})";
  }));
}

}  // namespace
}  // namespace warpscope
