// tests/scenes/program/shown_program.cpp: what is read from a program, as lines that a test can
// name.
#include "tests/scenes/program/shown_program.h"

#include <array>

namespace warpscope {
namespace {

std::string shown_argument(const ProposedArgument& argument) {
  if (!argument.buffer.empty()) return argument.buffer;
  if (!argument.record)
    return argument.type + ":" + argument.value.text + (argument.value.asked ? "?" : "");
  std::string members;
  for (const ProposedArgument& member : argument.members)
    members += (members.empty() ? "" : ", ") + shown_argument(member);
  return "{" + members + "}";
}

std::string shown(const std::array<Quantity, 3>& shape) {
  const std::size_t used = shape[2].text != "1" ? 3 : shape[1].text != "1" ? 2 : 1;
  std::string text = "[" + shape[0].text;
  for (std::size_t i = 1; i < used; ++i) text += ", " + shape[i].text;
  return text + "]" + (shape[0].asked ? "?" : "");
}

std::string shown(const Guess<ProposedFill>& fill) {
  switch (fill.value) {
    case ProposedFill::unset:
      return "";
    case ProposedFill::zero:
      return " zero";
    case ProposedFill::one:
      return " one";
    case ProposedFill::iota:
      return " iota";
    case ProposedFill::random:
      return " random";
    case ProposedFill::byte:
      return " bytes " + fill.text;
    case ProposedFill::element:
      return " = " + fill.text;
  }
  return "";
}

std::string shown(const ProposedLaunch& launch) {
  std::string text = (launch.reached ? "" : "*") + launch.instance + "<<<" + shown(launch.grid) +
                     ", " + shown(launch.block);
  if (launch.shared.text != "0" || launch.shared.asked)
    text += ", " + launch.shared.text + (launch.shared.asked ? "?" : "");
  text += ">>>(";
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const ProposedArgument& argument = launch.arguments[i];
    text += i == 0 ? "" : ", ";
    text += shown_argument(argument);
  }
  text += ")";
  for (const ProposedConstant& constant : launch.constants)
    text += " " + constant.symbol + " = " + constant.buffer;
  return text;
}

}  // namespace

std::vector<std::string> shown(const HostProgram& program) {
  std::vector<std::string> lines;
  for (const ProposedLaunch& launch : program.launches) lines.push_back(shown(launch));
  constexpr const char* kRoles[] = {"input", "output", "state"};
  for (const ProposedBuffer& buffer : program.buffers) {
    const std::string fill = buffer.role == ProposedRole::output ? "" : shown(buffer.fill);
    lines.push_back(buffer.name + ": " + buffer.type + "[" + buffer.count.text + "]" +
                    (buffer.count.asked ? "?" : "") + " " + kRoles[static_cast<int>(buffer.role)] +
                    fill + (buffer.fill.asked ? "?" : ""));
  }
  for (const ProposedSize& size : program.sizes) {
    lines.push_back(size.name + " = " + std::to_string(static_cast<long long>(size.value)) +
                    " in line " + std::to_string(size.line) + (size.fixed ? " fixed" : "") +
                    (size.asked ? " asked" : ""));
  }
  return lines;
}

}  // namespace warpscope
