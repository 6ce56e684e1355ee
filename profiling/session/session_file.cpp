// profiling/session/session_file.cpp: lines appended to a session's file.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <thread>
#include <utility>

#include "profiling/journal/lock_holder.h"
#include "profiling/messages/packed_text.h"
#include "profiling/session/session.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

tl::unexpected<Error> file_failure(const std::filesystem::path& path, int code) {
  const char* remedy = code == ENOSPC ? "free some space; what was written before is kept"
                       : code == EACCES || code == EROFS ? "choose a folder you may write to"
                                                         : "choose another path";
  return failure(ErrorKind::environment,
                 std::string("the session cannot be written: ") + std::strerror(code),
                 path.string(), remedy);
}

tl::unexpected<Error> not_appended(const std::filesystem::path& path, std::string what,
                                   std::string remedy) {
  return failure(ErrorKind::input, std::move(what), path.string(), std::move(remedy));
}

// Whether a session may lie there: a pipe takes what is written once, a device forgets it.
Result<void> check_regular(const std::filesystem::path& path, const struct stat& status) {
  if (S_ISREG(status.st_mode)) return {};
  return not_appended(path,
                      std::string("a session must be a file, but this is a ") +
                          (S_ISDIR(status.st_mode)    ? "folder"
                           : S_ISFIFO(status.st_mode) ? "pipe"
                           : S_ISSOCK(status.st_mode) ? "socket"
                                                      : "device"),
                      "name a file, such as run.wsj");
}

// Whether the open file is empty or begins as sessions do: with a message that this version knows,
// or, where one line is all there is, with the beginning of one.
Result<void> check_beginning(const std::filesystem::path& path, int descriptor) {
  const auto foreign = [&path] {
    return not_appended(path, "the file is not a session, so nothing is appended to it",
                        "choose a .wsj file that Warpscope wrote, or a new one");
  };
  char first[2] = {};
  const ssize_t count = ::pread(descriptor, first, sizeof first, 0);
  if (count == 0) return {};
  if (count == 2 && begins_packed({first, sizeof first})) {
    return not_appended(path, "nothing can be appended to a packed session",
                        "unpack it with `gunzip`, or choose another file");
  }
  if (count < 1 || first[0] != '{') return foreign();
  // The file that is open, also where another took its name meanwhile.
  Result<TextLines> lines = TextLines::open("/proc/self/fd/" + std::to_string(descriptor),
                                            std::numeric_limits<std::int64_t>::max());
  const auto line = lines ? lines->next() : std::nullopt;
  if (!line) return foreign();
  const Result<Message> message = parse_line(*line);
  if (message && !std::holds_alternative<Unknown>(*message)) return {};
  if (!message && !lines->complete() && begins_message(*line)) return {};
  return foreign();
}

// Whether what is there ends with a newline, so that the next line stands alone.
bool ends_line(int descriptor) {
  struct stat status {};
  char last = '\n';
  return ::fstat(descriptor, &status) != 0 || status.st_size == 0 ||
         ::pread(descriptor, &last, 1, status.st_size - 1) != 1 || last == '\n';
}

}  // namespace

Result<SessionFile> SessionFile::open(const std::filesystem::path& path,
                                      std::shared_ptr<const Catalogue> catalogue) {
  struct stat status {};
  const bool there = ::stat(path.c_str(), &status) == 0;
  if (there) {
    if (Result<void> good = check_regular(path, status); !good) return tl::unexpected(good.error());
  }
  const bool named = named_packed(path);
  SessionFile file;
  file.path_ = path;
  file.catalogue_ = std::move(catalogue);
  if (there || !named) {  // a name is refused before a file of that name is made
    file.descriptor_ =
        ::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_CREAT, 0644);
    if (file.descriptor_ < 0 || ::fstat(file.descriptor_, &status) != 0)
      return file_failure(path, errno);
    if (Result<void> good = check_regular(path, status).and_then([&] {
          return check_beginning(path, file.descriptor_);
        });
        !good)
      return tl::unexpected(good.error());
  }
  if (named) {
    return not_appended(path, "a session is recorded unpacked, but the name ends in .gz",
                        "choose a name that ends in .wsj; `warpscope export` packs it afterwards");
  }
  return file;
}

SessionFile::SessionFile(SessionFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      claimed_(std::exchange(other.claimed_, false)),
      unsealed_(std::exchange(other.unsealed_, {})),
      synced_(other.synced_),
      catalogue_(std::move(other.catalogue_)),
      scenes_(std::move(other.scenes_)) {}

SessionFile& SessionFile::operator=(SessionFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(claimed_, other.claimed_);
  std::swap(unsealed_, other.unsealed_);
  std::swap(synced_, other.synced_);
  std::swap(catalogue_, other.catalogue_);
  std::swap(scenes_, other.scenes_);
  return *this;
}

SessionFile::~SessionFile() {
  if (claimed_) static_cast<void>(seal());  // a full disk was told of when the last line was lost
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> SessionFile::claim() {
  constexpr std::chrono::milliseconds kPause(50);
  int pauses = 40;
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) break;  // a file system without locks: lines do not mix even so
    const LockHolder who = lock_holder(descriptor_);
    if (who.stranger) break;
    const std::string holder = to_text(who);
    // A program that was killed may have left a child that lets go of the file in a moment.
    const bool gone = who.process <= 0 || (::kill(who.process, 0) != 0 && errno == ESRCH);
    if (gone && pauses-- > 0) {
      std::this_thread::sleep_for(kPause);
      continue;
    }
    return failure(
        ErrorKind::environment,
        "another program records into this session" + (holder.empty() ? "" : " (" + holder + ")"),
        path_.string(), "end it, or record into another file");
  }
  claimed_ = true;
  return {};
}

Result<void> SessionFile::seal() {
  if (unsealed_.lines() > 0) {
    if (Result<void> written = write_line(unsealed_.line()); !written) return written;
  }
  synced_ = std::chrono::steady_clock::now();
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS)
    return file_failure(path_, errno);
  return {};
}

namespace {

// The text without which messages of a scene that is a folder cannot be read.
std::shared_ptr<const SceneText> text_of(const Message& message, const Catalogue& catalogue) {
  return std::visit(
      [&catalogue](const auto& m) -> std::shared_ptr<const SceneText> {
        if constexpr (requires { m.scene_text; }) {
          // As the folder stood then, whatever was saved since.
          const auto then = m.scene_text.empty() ? nullptr : catalogue.text(m.scene, m.scene_text);
          return then != nullptr ? then : catalogue.text(m.scene);
        } else if constexpr (requires { m.point.scene; }) {
          return catalogue.text(m.point.scene);
        } else if constexpr (requires { m.scene; }) {
          return catalogue.text(m.scene);
        } else {
          return nullptr;
        }
      },
      message);
}

}  // namespace

Result<void> SessionFile::append(const Message& message) {
  // Weights and codes are megabytes each time, and have files of their own.
  if (std::holds_alternative<TrainingState>(message) || std::holds_alternative<Latents>(message))
    return {};
  const auto* job = std::get_if<Job>(&message);
  const auto* training = job != nullptr ? job->as<TrainJob>() : nullptr;
  if (training != nullptr && training->resume) {
    Job without = *job;
    without.as<TrainJob>()->resume.reset();
    return append(without);
  }
  const auto text = catalogue_ == nullptr ? nullptr : text_of(message, *catalogue_);
  if (text && scenes_.insert(text->hash).second) {
    if (Result<void> kept = write(*text); !kept) return kept;
  }
  if (Result<void> kept = write(message); !kept) return kept;
  // The end of a job is on the disk before the next one is long under way; jobs of milliseconds
  // would wait for the disk each time.
  constexpr std::chrono::seconds kBetween(1);
  const auto now = std::chrono::steady_clock::now();
  if (!claimed_ || !std::holds_alternative<Done>(message) || now - synced_ < kBetween) return {};
  synced_ = now;
  ::fdatasync(descriptor_);
  return {};
}

Result<void> SessionFile::write(const Message& message) {
  const std::string line = to_line(message);
  if (Result<void> kept = write_line(line); !kept) return kept;
  if (claimed_) unsealed_.add(line);
  return {};
}

Result<void> SessionFile::write_line(const std::string& text) const {
  // What another process, or this one on a full disk, left unfinished is not continued.
  const std::string line = (ends_line(descriptor_) ? "" : "\n") + text + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t step = ::write(descriptor_, line.data() + written, line.size() - written);
    if (step < 0 && errno == EINTR) continue;
    if (step <= 0) return file_failure(path_, step == 0 ? ENOSPC : errno);
    written += static_cast<std::size_t>(step);
  }
  return {};
}

}  // namespace warpscope
