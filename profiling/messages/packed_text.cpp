// profiling/messages/packed_text.cpp: gzip files by zlib, unpacked while their lines are read, and
// packed.
#include "profiling/messages/packed_text.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "scenes/host/input_file.h"
#include "scenes/host/program.h"

namespace warpscope {
namespace {

constexpr std::size_t kChunkBytes = 256 << 10;
// The widest window, and 16: gzip's header and checksum. source: zlib.h, inflateInit2.
constexpr int kGzipWindow = MAX_WBITS + 16;

// Sessions unpack to six or seven times their size; what unpacks to more than this many times, and
// to more than a small file may, was made to fill a disk or a memory.
constexpr std::int64_t kMostUnpackedRatio = 32, kLeastUnpackedLimit = 32 << 20;

// source: the messages of inflate.c, zlib 1.2.13.
std::string words_of(const z_stream& stream) {
  const std::string_view said = stream.msg == nullptr ? "" : stream.msg;
  if (said == "incorrect data check") return "its checksum does not match its text";
  if (said == "incorrect length check") return "its text is not as long as it states";
  if (said == "incorrect header check") return "a part of it does not begin like a gzip file";
  return "its packed bytes cannot be unpacked";
}

unsigned char* bytes_of(const char* text) {
  return reinterpret_cast<unsigned char*>(const_cast<char*>(text));
}

}  // namespace

struct TextLines::State {
  explicit State(InputFile opened) : file(std::move(opened)) {}

  InputFile file;
  std::vector<char> read = std::vector<char>(kChunkBytes), unpacked;
  std::string_view input;  // of `read`: what is not used yet
  std::string_view chunk;  // of the text: what is not given yet
  std::string line;        // the beginning of a line that chunks divide
  bool file_ended = false, packed = false, between_members = false, complete = true;
  std::optional<TextEnd> end;
  std::string why;
  std::int64_t file_bytes = 0, text_bytes = 0, maximum_bytes = 0;
  z_stream stream{};

  ~State() {
    if (packed) ::inflateEnd(&stream);
  }

  // Reads on after what is left of the input.
  void fill() {
    std::copy(input.begin(), input.end(), read.begin());
    const Result<std::size_t> count =
        file.read(read.data() + input.size(), read.size() - input.size());
    input = {read.data(), input.size() + count.value_or(0)};
    file_ended = count.value_or(0) == 0;
    if (!count) {
      end = TextEnd::unreadable;
      why = count.error().what;
    }
  }

  // The next chunk of the text; empty at its end.
  std::string_view next_chunk() {
    if (end) return {};
    if (packed) return unpack();
    if (input.empty()) fill();
    if (end) return {};
    text_bytes += static_cast<std::int64_t>(input.size());
    if (text_bytes > maximum_bytes) end = TextEnd::over_limit;
    if (input.empty()) end = TextEnd::whole;
    return end ? std::string_view() : std::exchange(input, {});
  }

  std::string_view unpack() {
    while (true) {
      if (between_members) find_member();
      if (input.empty() && !file_ended && !end) fill();
      if (end) return {};
      const auto room = static_cast<std::size_t>(
          std::min(static_cast<std::int64_t>(unpacked.size()), maximum_bytes - text_bytes + 1));
      stream.next_in = bytes_of(input.data());
      stream.avail_in = static_cast<uInt>(input.size());
      stream.next_out = bytes_of(unpacked.data());
      stream.avail_out = static_cast<uInt>(room);
      const int code = ::inflate(&stream, Z_NO_FLUSH);
      input.remove_prefix(input.size() - stream.avail_in);
      const std::size_t count = room - stream.avail_out;
      text_bytes += static_cast<std::int64_t>(count);
      between_members = code == Z_STREAM_END;
      if (text_bytes > maximum_bytes) {
        end = TextEnd::over_limit;
        return {};
      }
      if (code == Z_MEM_ERROR) {
        end = TextEnd::no_memory;
        why = "there is not enough memory to unpack it";
      } else if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
        end = TextEnd::damaged;
        why = words_of(stream);
      } else if (count == 0 && !between_members && input.empty() && file_ended) {
        end = TextEnd::torn;
      }
      if (count > 0) return {unpacked.data(), count};
    }
  }

  // After a member: finds the next one, or the end.
  void find_member() {
    while (input.size() < 2 && !file_ended && !end) fill();
    if (begins_packed(input)) {
      ::inflateReset(&stream);
      between_members = false;
      return;
    }
    while (!end) {
      const std::size_t other = input.find_first_not_of('\0');
      if (other != std::string_view::npos) {
        end = TextEnd::followed;
      } else if (file_ended) {
        end = TextEnd::whole;
      } else {
        input = {};
        fill();
      }
    }
  }
};

TextLines::TextLines(std::unique_ptr<State> state) : state_(std::move(state)) {}
TextLines::TextLines(TextLines&&) noexcept = default;
TextLines& TextLines::operator=(TextLines&&) noexcept = default;
TextLines::~TextLines() = default;

namespace {

// The descriptor that a name stands for: "-" and /dev/stdin, or what a shell gives for <(…); −1: it
// is a file's name. Such a pipe was opened for this program, so reading it waits for its writer
// alone.
int piped_descriptor(const std::filesystem::path& path) {
  const std::string name = path.string();
  if (name == "-" || name == "/dev/stdin") return STDIN_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!name.starts_with(folder)) continue;
    struct stat status {};
    int descriptor = -1;
    const char* const end = name.data() + name.size();
    const auto [last, wrong] = std::from_chars(name.data() + folder.size(), end, descriptor);
    if (wrong == std::errc() && last == end && ::fstat(descriptor, &status) == 0 &&
        S_ISFIFO(status.st_mode))
      return descriptor;
  }
  return -1;
}

// A file without a name, for as long as the program runs; −1: there is no room for one.
int nameless_file() {
  std::error_code ignored;
  const std::string folder = std::filesystem::temp_directory_path(ignored).string();
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  return file >= 0 ? file : ::memfd_create("session", MFD_CLOEXEC);
}

// All that comes through a descriptor, kept in a file. error: usage: it is a terminal; input: it
// cannot be read; environment: there is no room.
Result<std::string> kept_from(int descriptor, const std::string& name) {
  constexpr std::int64_t kMostPipedBytes = 1LL << 30;
  if (::isatty(descriptor) != 0)
    return failure(ErrorKind::usage, "standard input is a terminal", name,
                   "name a file, or send a session through a pipe");
  const int file = nameless_file();
  std::vector<char> chunk(1 << 16);
  for (std::int64_t bytes = 0; file >= 0;) {
    const ssize_t count = ::read(descriptor, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return failure(ErrorKind::input, std::string("it cannot be read: ") + std::strerror(errno),
                     name, "send a session through a pipe, or name a file");
    // A number of this process, which no other descriptor gets while it is open.
    if (count == 0) return "/proc/self/fd/" + std::to_string(file);
    bytes += count;
    if (bytes > kMostPipedBytes)
      return failure(ErrorKind::input, "more than the limit of 1 GiB came through the pipe", name,
                     "split the session between two lines: every part is a session");
    if (write_all(file, {chunk.data(), static_cast<std::size_t>(count)}) != 0) break;
  }
  return failure(ErrorKind::environment, "there is no room to keep what comes through the pipe",
                 name, "free some space in the temporary folder, or name a file");
}

// What a program opens in place of `path`: a pipe is read once, and kept, because sessions are read
// more than once. error: as kept_from.
Result<std::filesystem::path> readable_file(const std::filesystem::path& path) {
  const int descriptor = piped_descriptor(path);
  if (descriptor < 0) return path;
  struct stat status {};
  const bool file = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  if (file) return "/proc/self/fd/" + std::to_string(descriptor);
  static std::mutex mutex;
  static std::map<int, Result<std::string>> kept;  // as long as the descriptors it is about
  const std::lock_guard lock(mutex);
  const auto found = kept.find(descriptor);
  const Result<std::string>& text =
      found != kept.end()
          ? found->second
          : kept.emplace(descriptor, kept_from(descriptor, path.string())).first->second;
  return text.map([](const std::string& name) { return std::filesystem::path(name); });
}

}  // namespace

Result<TextLines> TextLines::open(const std::filesystem::path& path, std::int64_t maximum_bytes) {
  const Result<std::filesystem::path> readable = readable_file(path);
  if (!readable) return tl::unexpected(readable.error());
  // Longer files are opened too: the session's own sentence says more.
  Result<InputFile> file = InputFile::open(*readable, std::numeric_limits<std::int64_t>::max());
  if (!file) return tl::unexpected(file.error());
  auto state = std::make_unique<State>(std::move(*file));
  state->file_bytes = state->file.bytes();
  state->maximum_bytes = maximum_bytes;
  state->fill();
  if (begins_packed(state->input)) {
    if (::inflateInit2(&state->stream, kGzipWindow) != Z_OK)
      return failure(ErrorKind::resource, "there is not enough memory to unpack it", path.string(),
                     "close other programs");
    state->packed = true;
    state->unpacked.resize(kChunkBytes);
    state->maximum_bytes = std::min(
        maximum_bytes, std::max(kLeastUnpackedLimit,
                                std::min(state->file_bytes, maximum_bytes) * kMostUnpackedRatio));
  } else if (state->file_bytes > maximum_bytes) {
    state->end = TextEnd::over_limit;
  }
  return TextLines(std::move(state));
}

std::optional<std::string_view> TextLines::next() {
  State& s = *state_;
  s.line.clear();
  while (true) {
    if (const std::size_t newline = s.chunk.find('\n'); newline != std::string_view::npos) {
      s.complete = true;
      const std::string_view rest = s.chunk.substr(0, newline);
      s.chunk.remove_prefix(newline + 1);
      if (s.line.empty()) return rest;
      return s.line += rest;
    }
    s.line += s.chunk;
    if (static_cast<std::int64_t>(s.line.size()) > kLongestLineBytes) s.end = TextEnd::long_line;
    s.chunk = s.next_chunk();
    if (!s.chunk.empty()) continue;
    const bool refused = s.end == TextEnd::over_limit || s.end == TextEnd::long_line ||
                         s.end == TextEnd::unreadable || s.end == TextEnd::no_memory;
    if (s.line.empty() || refused) return std::nullopt;
    s.complete = false;
    return s.line;
  }
}

bool TextLines::complete() const { return state_->complete; }
TextEnd TextLines::end() const { return state_->end.value_or(TextEnd::whole); }
const std::string& TextLines::why() const { return state_->why; }
bool TextLines::packed() const { return state_->packed; }
std::int64_t TextLines::file_bytes() const { return state_->file_bytes; }
std::int64_t TextLines::text_bytes() const { return state_->text_bytes; }
std::int64_t TextLines::maximum_bytes() const { return state_->maximum_bytes; }

bool begins_packed(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

bool named_packed(const std::filesystem::path& path) { return path.extension() == ".gz"; }

Result<std::string> pack(std::string_view text) {
  std::string packed;
  const Result<void> done = pack(
      [text](const TextSink& take) {
        take(text);
        return Result<void>{};
      },
      [&packed](std::string_view part) { packed += part; });
  if (!done) return tl::unexpected(done.error());
  return packed;
}

Result<void> pack(const std::function<Result<void>(const TextSink& take)>& make,
                  const TextSink& write) {
  z_stream stream{};
  constexpr int kUsualMemory = 8;
  if (::deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindow, kUsualMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK)
    return failure(ErrorKind::resource, "there is not enough memory to pack the text", "packing",
                   "close other programs, or choose a name without .gz");
  std::vector<char> chunk(kChunkBytes);
  // Until all of the input is taken, and at the end until nothing is left to give.
  const auto deflate = [&](std::string_view input, int flush) {
    stream.next_in = bytes_of(input.data());
    stream.avail_in = static_cast<uInt>(input.size());
    do {
      stream.next_out = bytes_of(chunk.data());
      stream.avail_out = static_cast<uInt>(chunk.size());
      ::deflate(&stream, flush);
      write({chunk.data(), chunk.size() - stream.avail_out});
    } while (stream.avail_out == 0);
  };
  const Result<void> made = make([&deflate](std::string_view part) {
    // zlib counts its input in 32 bits.
    constexpr std::size_t kMostInput = 1 << 30;
    for (; !part.empty(); part.remove_prefix(std::min(part.size(), kMostInput)))
      deflate(part.substr(0, kMostInput), Z_NO_FLUSH);
  });
  if (made) deflate({}, Z_FINISH);
  ::deflateEnd(&stream);
  return made;
}

}  // namespace warpscope
