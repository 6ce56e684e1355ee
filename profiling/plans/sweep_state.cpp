// profiling/plans/sweep_state.cpp: how far a sweep of a plan is, beside its session, for other
// programs to read.
#include "profiling/plans/sweep_state.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "scenes/host/input_file.h"

namespace warpscope {
namespace {

constexpr std::int64_t kMostStateBytes = 1 << 20;

}  // namespace

std::string host_name() {
  char name[256] = "";
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

std::filesystem::path sweep_state_file(const std::filesystem::path& session) {
  return session.string() + ".state";
}

std::string to_text(const SweepState& state) {
  nlohmann::json devices = nlohmann::json::array();
  for (const SweepDeviceState& device : state.devices)
    devices.push_back({{"name", device.name},
                       {"doing", device.doing},
                       {"points", device.points},
                       {"deaths", device.deaths},
                       {"gone", device.gone}});
  const nlohmann::json object = {
      {"host", state.host},       {"process", state.process},
      {"command", state.command}, {"plan", state.plan},
      {"chunk", state.chunk},     {"wanted_devices", state.wanted_devices},
      {"ssh", state.ssh},         {"done", state.done},
      {"of", state.of},           {"left_s", state.left_s},
      {"ended", state.ended},     {"devices", devices}};
  return object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<SweepState> parse_sweep_state(std::string_view text) {
  const nlohmann::json object = nlohmann::json::parse(text, nullptr, false);
  SweepState state;
  try {
    state.host = object.at("host").get<std::string>();
    state.process = object.at("process").get<std::int64_t>();
    state.command = object.at("command").get<std::string>();
    state.plan = object.value("plan", "");
    state.chunk = object.value("chunk", "");
    state.wanted_devices = object.value("wanted_devices", "");
    state.ssh = object.value("ssh", "");
    state.done = object.at("done").get<std::int64_t>();
    state.of = object.at("of").get<std::int64_t>();
    state.left_s = object.at("left_s").get<double>();
    state.ended = object.at("ended").get<std::string>();
    for (const nlohmann::json& device : object.at("devices"))
      state.devices.push_back(
          {device.at("name").get<std::string>(), device.at("doing").get<std::string>(),
           device.at("points").get<std::int64_t>(), device.at("deaths").get<std::int64_t>(),
           device.at("gone").get<bool>()});
  } catch (const nlohmann::json::exception& wrong) {
    return failure(ErrorKind::input, wrong.what(), "state of a sweep", "");
  }
  return state;
}

std::optional<SweepState> read_sweep_state(const std::filesystem::path& session) {
  const std::filesystem::path file = sweep_state_file(session);
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return std::nullopt;
  const Result<std::string> text = read_input(file, kMostStateBytes);
  if (!text) return std::nullopt;
  Result<SweepState> state = parse_sweep_state(*text);
  if (!state) return std::nullopt;
  return std::move(*state);
}

std::optional<bool> is_running(const SweepState& state) {
  if (!state.ended.empty()) return false;
  if (state.host != host_name()) return std::nullopt;
  if (state.process <= 0) return false;
  // A process that was killed and that nobody has waited for has no command line any more.
  std::ifstream command("/proc/" + std::to_string(state.process) + "/cmdline", std::ios::binary);
  return command.good() && command.peek() != std::ifstream::traits_type::eof();
}

Result<void> ask_to_end(const SweepState& state) {
  const std::string process = "process " + std::to_string(state.process) + " on " + state.host;
  if (state.host != host_name())
    return failure(ErrorKind::usage, "the sweep runs on another machine", process,
                   "cancel it there: kill " + std::to_string(state.process));
  // Another program may have the number by now.
  std::ifstream file("/proc/" + std::to_string(state.process) + "/cmdline", std::ios::binary);
  const std::string words(std::istreambuf_iterator<char>(file), {});
  const std::string mark("\0sweep\0", 7);
  if (state.process <= 0 || words.find(mark) == std::string::npos)
    return failure(ErrorKind::usage, "the sweep does not run any more", process, "resume it");
  if (::kill(static_cast<pid_t>(state.process), SIGTERM) == 0) return {};
  return failure(ErrorKind::environment,
                 errno == EPERM ? "the sweep is another user's" : "the sweep does not run any more",
                 process, errno == EPERM ? "ask that user to cancel it" : "resume it");
}

}  // namespace warpscope
