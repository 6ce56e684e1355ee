// workbench/workspace/session/engines.h: the engine that measures, and the emulator that traces.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/session/session.h"
#include "workbench/client/engine_client.h"

namespace warpscope {

// The two processes that jobs go to. Both number their jobs together. With no command there is no
// engine: recorded sessions only. Without an emulator there are no new traces. A third process
// takes samples of where warps wait, which the one that counts cannot.
class Engines {
 public:
  // The engine is started, and the emulator with the first job that it gets.
  Engines(std::vector<std::string> engine_command, std::vector<std::string> emulator_command,
          const std::shared_ptr<const Catalogue>& catalogue);

  EngineClient* measuring() { return client_.get(); }  // null: there is none
  EngineClient* emulating() { return emulator_.get(); }
  // Begun with its first job, and ended after its last; null: there is no engine.
  EngineClient* sampling();
  const EngineClient* sampling_now() const { return sampler_.get(); }  // null: it has not begun
  const EngineClient* measuring() const { return client_.get(); }
  const EngineClient* emulating() const { return emulator_.get(); }

  bool has_engine() const { return client_ != nullptr; }
  bool has_emulator() const { return emulator_ != nullptr; }
  // Whether the emulating engine has nvdisasm, so that it can emulate machine code.
  bool has_disassembler() const;
  bool engine_ready() const { return client_ != nullptr && client_->ready(); }
  // Whether the engine of this session runs and has a device.
  bool has_device(const Session& session) const;
  // The engine that trains and compares outputs: the emulator, if no device measures.
  EngineClient* at_hand(const Session& session);
  // What keeps an engine from answering; empty while all is well.
  std::optional<EngineDelay> delay() const;
  // The engine was given up because another one has its device.
  bool refused() const { return client_ != nullptr && client_->refused(); }
  // Why there is no engine to wait for; empty while there may be one.
  std::optional<Error> trouble() const {
    return client_ != nullptr ? client_->trouble() : std::nullopt;
  }
  // A measurement of this variant is on its way, at whatever configuration.
  bool awaits(const std::string& scene, const std::string& variant) const;

  // From now on jobs may be silent for so long before their engine is ended.
  void limit_jobs(double seconds);
  void cancel_all();
  void cancel_tagged(std::string_view prefix);  // in both
  void restart();                               // those that run
  // Ends the engine that samples once it has no job, so that the other one gets the device.
  void end_sampling();
  // Ends an emulator that has no job and keeps much memory; it starts again with its next job.
  void rest();
  void wait(double seconds) const;  // for a message of either, at most `seconds`

  // Resident bytes of the processes that this machine runs for the window; empty if there is none
  // or it is elsewhere.
  std::optional<std::int64_t> engine_memory() const;
  std::optional<std::int64_t> emulator_memory() const;

 private:
  std::vector<std::string> engine_command_;
  std::shared_ptr<const Catalogue> catalogue_;
  std::shared_ptr<std::int64_t> numbers_ = std::make_shared<std::int64_t>(0);
  std::unique_ptr<EngineClient> client_, emulator_, sampler_;
};

}  // namespace warpscope
