// workbench/workspace/session/engines.cpp: the engine that measures, and the emulator that traces.
#include "workbench/workspace/session/engines.h"

#include <algorithm>
#include <utility>

#include "workbench/client/process_memory.h"

namespace warpscope {
namespace {

// A process that `client` started on this machine. Through ssh another one says hello.
std::optional<std::int64_t> memory_of(const EngineClient* client) {
  if (client == nullptr || client->process() <= 0) return std::nullopt;
  const auto& hello = client->hello();
  if (!hello || hello->process != client->process()) return std::nullopt;
  return resident_bytes(client->process());
}

}  // namespace

Engines::Engines(std::vector<std::string> engine_command, std::vector<std::string> emulator_command,
                 const std::shared_ptr<const Catalogue>& catalogue)
    : engine_command_(std::move(engine_command)), catalogue_(catalogue) {
  if (!engine_command_.empty()) {
    client_ =
        std::make_unique<EngineClient>(engine_command_, RestartPacing{}, numbers_, catalogue_);
    client_->start();
  }
  if (!emulator_command.empty()) {
    emulator_ = std::make_unique<EngineClient>(std::move(emulator_command), RestartPacing{},
                                               numbers_, catalogue_);
  }
}

EngineClient* Engines::sampling() {
  if (engine_command_.empty()) return nullptr;
  if (!sampler_) {
    std::vector<std::string> command = engine_command_;
    command.emplace_back("--samples");
    sampler_ =
        std::make_unique<EngineClient>(std::move(command), RestartPacing{}, numbers_, catalogue_);
  }
  return sampler_.get();
}

void Engines::end_sampling() {
  if (sampler_ && sampler_->outstanding().empty()) sampler_.reset();
}

bool Engines::has_disassembler() const {
  if (!emulator_ || !emulator_->hello()) return false;
  const Capability* disassembler = find_capability(*emulator_->hello(), "disassembler");
  return disassembler != nullptr && disassembler->available;
}

bool Engines::has_device(const Session& session) const {
  if (!client_ || !client_->ready()) return false;
  const Hello *hello = session.engine(), &running = *client_->hello();
  return hello != nullptr && hello->device.has_value() && hello->process == running.process &&
         hello->date == running.date;
}

EngineClient* Engines::at_hand(const Session& session) {
  return has_device(session) ? client_.get() : emulator_.get();
}

std::optional<EngineDelay> Engines::delay() const {
  for (const EngineClient* client : {client_.get(), emulator_.get(), sampler_.get()}) {
    if (client == nullptr) continue;
    if (std::optional<EngineDelay> delay = client->delay()) return delay;
  }
  return std::nullopt;
}

bool Engines::awaits(const std::string& scene, const std::string& variant) const {
  if (!client_) return false;
  const auto& jobs = client_->outstanding();
  return std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) {
    return !job.is<TrainJob>() && job.scene == scene && job.variant == variant;
  });
}

void Engines::limit_jobs(double seconds) {
  if (client_) client_->limit_jobs(seconds);
  if (emulator_) emulator_->limit_jobs(seconds);
}

void Engines::cancel_all() {
  if (client_) client_->cancel_all();
  if (emulator_) emulator_->cancel_all();
  if (sampler_) sampler_->cancel_all();
}

void Engines::cancel_tagged(std::string_view prefix) {
  if (client_) client_->cancel_tagged(prefix);
  if (emulator_) emulator_->cancel_tagged(prefix);
}

void Engines::restart() {
  if (client_) client_->restart();
  if (emulator_ && emulator_->process() > 0) emulator_->restart();
}

void Engines::rest() {
  // Without a problem it has 60 MB. Those of most scenes' defaults have their inputs in this.
  constexpr std::int64_t kMost = 256 << 20;
  if (emulator_) emulator_->end_large(kMost);
  if (client_) client_->end_grown();
}

void Engines::wait(double seconds) const {
  if (client_ || emulator_)
    EngineClient::wait({client_.get(), emulator_.get(), sampler_.get()}, seconds);
}

std::optional<std::int64_t> Engines::engine_memory() const { return memory_of(client_.get()); }
std::optional<std::int64_t> Engines::emulator_memory() const { return memory_of(emulator_.get()); }

}  // namespace warpscope
