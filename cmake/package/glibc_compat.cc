// Defines functions that GCC's static libraries take from glibc 2.35 and 2.36, so that portable
// programs run with glibc 2.34 (RHEL 9, Amazon Linux 2023). They are hidden: other libraries of
// the process use glibc's own functions.
#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

#define VRP_HIDDEN __attribute__((visibility("hidden"), used))

namespace {

struct Search {
  uintptr_t address;
  dl_find_object* found;
};

// Fills in `found` of the Search `data` if its address is in a segment of `object` and `object` has
// unwind tables. Returns 1 in that case, which ends the iteration, otherwise 0.
int MatchObject(dl_phdr_info* object, size_t /*size*/, void* data) {
  const Search* const search = static_cast<Search*>(data);
  const ElfW(Phdr)* frames = nullptr;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  bool inside = false;
  for (ElfW(Half) i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    const uintptr_t first = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_EH_FRAME) frames = &segment;
    if (segment.p_type != PT_LOAD) continue;
    begin = first < begin ? first : begin;
    end = first + segment.p_memsz > end ? first + segment.p_memsz : end;
    inside |= search->address >= first && search->address < first + segment.p_memsz;
  }
  if (!inside || frames == nullptr) return 0;
  *search->found = {};
  search->found->dlfo_map_start = reinterpret_cast<void*>(begin);
  search->found->dlfo_map_end = reinterpret_cast<void*>(end);
  search->found->dlfo_eh_frame = reinterpret_cast<void*>(object->dlpi_addr + frames->p_vaddr);
  return 1;
}

}  // namespace

extern "C" {

// Finds the unwind tables of the object that holds `address` (glibc 2.35). Returns 0 if there are
// any, else -1.
VRP_HIDDEN int _dl_find_object(void* address, dl_find_object* found) noexcept {
  Search search{.address = reinterpret_cast<uintptr_t>(address), .found = found};
  return dl_iterate_phdr(MatchObject, &search) == 1 ? 0 : -1;
}

// Returns 32 random bits (glibc 2.36); std::random_device calls it.
VRP_HIDDEN uint32_t arc4random() noexcept {
  uint32_t bits = 0;
  if (getrandom(&bits, sizeof bits, 0) != sizeof bits) abort();
  return bits;
}

}  // extern "C"
