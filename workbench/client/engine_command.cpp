// workbench/client/engine_command.cpp: the command line of an engine, here or through ssh.
#include "workbench/client/engine_command.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "scenes/host/build_stamp.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
const std::string& engine_name() {
  static const std::string name = product_name() + "-engine";
  return name;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

}  // namespace

std::string shell_word(const std::string& word) {
  const bool plain = std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::strchr("_./~+-@%:,=", c) != nullptr;
  });
  if (plain && !word.empty()) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::vector<std::string> options_of(const EngineChoice& choice) {
  const EngineChoice usual;
  std::vector<std::string> options;
  if (!choice.host.empty()) options.push_back("--host=" + choice.host);
  if (choice.device != usual.device) options.push_back("--device=" + std::to_string(choice.device));
  if (!choice.device_uuid.empty()) options.push_back("--device-uuid=" + choice.device_uuid);
  if (!choice.path.empty()) options.push_back("--engine=" + choice.path);
  if (choice.wait_s != usual.wait_s) options.push_back("--wait=" + number(choice.wait_s));
  if (choice.limit_s) options.push_back("--limit=" + number(*choice.limit_s));
  return options;
}

std::vector<std::string> engine_command(const EngineChoice& choice) {
  std::vector<std::string> command;
  const char* variable = std::getenv("WARPSCOPE_ENGINE");
  if (!choice.host.empty()) {
    // A connection that is gone must be noticed although neither side writes. No BatchMode: ssh may
    // ask the person at the terminal for a password or whether it knows the host.
    command = {"ssh",
               "-T",
               "-o",
               "ConnectTimeout=10",
               "-o",
               "ServerAliveInterval=5",
               "-o",
               "ServerAliveCountMax=3",
               "-o",
               "ControlMaster=no",  // it is killed with us, and no other session with it
               "--",
               choice.host,
               choice.path.empty() ? engine_name() : shell_word(choice.path)};
  } else if (!choice.path.empty()) {
    command = {choice.path};
  } else if (variable != nullptr && *variable != '\0') {
    command = {variable};
  } else {
    std::error_code failed;
    command = {(fs::read_symlink("/proc/self/exe", failed).parent_path() / engine_name()).string()};
  }
  command.insert(command.end(), {"--role", "measure", "--device", std::to_string(choice.device),
                                 "--wait", number(choice.wait_s)});
  if (choice.samples) command.emplace_back("--samples");
  if (!choice.device_uuid.empty()) {
    command.insert(command.end(),
                   {"--device-uuid",
                    choice.host.empty() ? choice.device_uuid : shell_word(choice.device_uuid)});
  }
  if (!choice.host.empty()) command.insert(command.end(), {"--silence", number(kLostAfterS)});
  return command;
}

std::vector<std::string> emulator_command(const EngineChoice& choice) {
  // A path that belongs to another machine means nothing here.
  EngineChoice here;
  if (choice.host.empty()) here.path = choice.path;
  return {engine_command(here).front(), "--role", "emulate"};
}

std::string host_of(const std::vector<std::string>& command) {
  const auto options_end = std::find(command.begin(), command.end(), "--");
  if (command.front() != "ssh" || options_end == command.end()) return "";
  return options_end + 1 == command.end() ? "" : *(options_end + 1);
}

}  // namespace warpscope
