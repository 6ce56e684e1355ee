// workbench/client/engine_command.h: the command line of an engine, here or through ssh.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warpscope {

// Where the engine runs and which device it takes.
struct EngineChoice {
  std::string host;  // user@machine; empty: this machine
  int device = 0;
  std::string device_uuid;  // or the beginning of one: instead of `device`; empty: `device` counts
  std::string path;         // of the engine; empty: $WARPSCOPE_ENGINE, then the one beside this
                            // executable; on another machine: warpscope-engine on its PATH
  double wait_s = 30;       // for the device, while another engine holds it
  bool samples = false;     // it takes samples of where warps wait, and does nothing else
  std::optional<double> limit_s;  // of a job's silence, after which its engine is ended
};

// How often a workbench says over ssh that it is there, and after how long without that the engine
// there ends: the connection may be gone without either side being told.
inline constexpr double kHeartbeatS = 5, kLostAfterS = 60;

// A word as a shell takes it: in quotation marks if it would mean something else there.
std::string shell_word(const std::string& word);

// Options of `measure`, `sweep` and others that choose the same engine.
std::vector<std::string> options_of(const EngineChoice& choice);

// The command line of the engine, through `ssh` where a host is chosen.
std::vector<std::string> engine_command(const EngineChoice& choice);

// The command line of the engine that emulates: always on this machine.
std::vector<std::string> emulator_command(const EngineChoice& choice);

// The host through `ssh`, as engine_command wrote it; empty for an engine of this machine.
std::string host_of(const std::vector<std::string>& command);

}  // namespace warpscope
