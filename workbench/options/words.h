// workbench/options/words.h: what is wrong with a command line, in this program's
// words.
#pragma once

#include <string>

namespace CLI {
class Error;
}

namespace warpscope {

// "--device needs a whole number, not “two”", of what the parser of command lines throws.
std::string words_of(const CLI::Error& error);

}  // namespace warpscope
