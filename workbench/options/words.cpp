// workbench/options/words.cpp: what is wrong with a command line, in this program's
// words.
#include "workbench/options/words.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "scenes/host/nearest.h"

namespace warpscope {
namespace {

// Both sides of the first `mark`; the second is empty where there is none.
struct Halves {
  std::string left, right;
};
Halves halves(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {std::string(text), ""};
  return {std::string(text.substr(0, at)), std::string(text.substr(at + mark.size()))};
}

std::string short_number(const std::string& digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", std::strtod(digits.c_str(), nullptr));
  return text;
}

// "--limit: Value 0 not in range 0.1 to 1e6" and its like; a check of ours has its own words.
std::string validation_words(const std::string& said) {
  constexpr double kNoEnd = 1e300;
  const auto [option, why] = halves(said, ": ");
  const auto [value, range] = halves(why, " not in range ");
  if (!range.empty()) {
    const auto [least, most] = halves(range, " to ");
    const std::string given = halves(value, "Value ").right;
    char* end = nullptr;
    const bool zero = std::strtod(given.c_str(), &end) == 0;
    if (given.empty() || *end != '\0') return option + " takes a number, not “" + given + "”";
    if (std::strtod(most.c_str(), nullptr) < kNoEnd)
      return option + " takes " + short_number(least) + " to " + short_number(most) + ", not " +
             given;
    return option + (zero ? " takes a number above 0, not " : " takes no number below 0: ") + given;
  }
  const auto [given, choices] = halves(why, " not in {");
  if (!choices.empty())
    return option + " takes one of " + choices.substr(0, choices.size() - 1) + ", not " + given;
  return said;
}

// "; did you mean --record?" after the first word that nobody expected; empty: nothing is near.
std::string mistyped_option(const std::string& typed, const CLI::App& app) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  const CLI::App& command = commands.empty() ? app : *commands.front();
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string nearest = nearest_name(halves(typed, "=").left, names);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

// A command that is mistyped is taken for the file to open, and its arguments are left over.
std::string mistyped_command(const CLI::App& app) {
  const CLI::Option* const file = app.get_option_no_throw("folder");
  if (file == nullptr || file->empty() || !app.get_subcommands().empty()) return {};
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  const std::string typed = file->results().front(), nearest = nearest_name(typed, names);
  return nearest.empty() ? "" : "there is no command " + typed + "; did you mean " + nearest + "?";
}

}  // namespace

std::string words_of(const CLI::Error& error) {
  const std::string said = error.what(), kind = error.get_name();
  if (const std::string extra = halves(said, " not expected: ").right; !extra.empty())
    return "there is no such option or argument here: " + extra;
  if (kind == "ConversionError") {
    const auto [option, value] = halves(halves(said, "Could not convert: ").right, " = ");
    if (!value.empty()) return option + " takes a number, not “" + value + "”";
  }
  if (kind == "ArgumentMismatch") {
    const auto [option, why] = halves(said, ": ");
    if (why.ends_with(" missing")) return option + " needs a value after it";
    return option + " has the wrong number of values";
  }
  if (kind == "RequiredError" && said.ends_with(" is required"))
    return halves(said, " is required").left + " is missing";
  if (kind == "RequiresError") {
    const auto [option, other] = halves(said, " requires ");
    return option + " only works together with " + other;
  }
  if (kind == "ExcludesError") {
    const auto [option, other] = halves(said, " excludes ");
    return option + " and " + other + " cannot be given together";
  }
  if (kind == "ValidationError") return validation_words(said);
  return said;
}

std::string words_of(const CLI::Error& error, const CLI::App& app) {
  const std::vector<std::string> left = app.remaining(true);
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError) || left.empty())
    return words_of(error);
  if (std::string words = mistyped_command(app); !words.empty()) return words;
  const std::string words = "there is no such option or argument here: " + left.front();
  return left.front().starts_with("-") ? words + mistyped_option(left.front(), app) : words;
}

}  // namespace warpscope
