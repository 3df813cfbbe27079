/*
 * target - see target.h. What a file is, is read from its ELF headers; which libraries a
 * program that needs nothing of ours would load, is asked of its own loader (--list),
 * which knows RUNPATH, $ORIGIN, LD_LIBRARY_PATH and ld.so.cache better than we could.
 */
#include "find/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/spawn.h"
#include "base/strbuf.h"
#include "sym/sym.h"

#define OUR_LIBRARY "libdeadheat_rt.so"
#define GCC_LIBRARY "libtsan.so.2"
#define BUILD_HINT "build it with deadheat-cc (CC=deadheat-cc make)"

/* ---- finding the program ---------------------------------------------------------- */

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* As execvp would, a file that is there but not executable included, for the message. */
static char *search_path(struct arena *arena, const char *name)
{
	const char *path = getenv("PATH");
	char *unusable = NULL;

	while (path && *path) {
		size_t length = strcspn(path, ":");
		char *file = arena_printf(arena, "%.*s/%s", length ? (int)length : 1, length ? path : ".", name);

		if (is_file(file) && !access(file, X_OK))
			return file;
		if (!unusable && is_file(file))
			unusable = file;
		path += length + (path[length] == ':');
	}
	return unusable;
}

static char *absolute(struct arena *arena, const char *cwd, const char *path)
{
	if (*path == '/')
		return arena_strdup(arena, path);
	while (!strncmp(path, "./", 2))
		path += 2;
	return arena_printf(arena, "%s/%s", strcmp(cwd, "/") ? cwd : "", path);
}

static int check_file(const char *typed, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return error_cannot("%s: %s", typed,
				    errno == ENOENT ? "no such program" : strerror(errno));
	if (S_ISDIR(st.st_mode))
		return error_cannot("%s is a folder, not a program", typed);
	if (!S_ISREG(st.st_mode))
		return error_cannot("%s is not a program", typed);
	if (access(path, X_OK))
		return error_cannot("%s is not executable (chmod +x %s)", typed, typed);
	return 0;
}

int program_from_argv(struct program *program, struct arena *arena, char **argv)
{
	extern char **environ;
	char *cwd = getcwd(NULL, 0);
	const char *path;

	if (!cwd)
		return error_cannot("the current folder cannot be read: %s", strerror(errno));
	*program = (struct program){ .argv = argv, .cwd = arena_strdup(arena, cwd) };
	free(cwd);
	path = strchr(argv[0], '/') ? argv[0] : search_path(arena, argv[0]);
	if (!path && !access(argv[0], F_OK) && !is_file(argv[0]))
		path = argv[0]; /* a folder: check_file has the word for it */
	if (!path && is_file(argv[0]))
		return error_cannot("%s: no such program in PATH; did you mean ./%s?", argv[0], argv[0]);
	if (!path)
		return error_cannot("%s: no such program", argv[0]);
	program->path = absolute(arena, program->cwd, path);
	program->envp = env_set(arena, environ, "DEADHEAT_WIRE", NULL);
	if (check_file(argv[0], program->path))
		return -1;
	if (sym_build_id(program->path, program->build_id))
		program->build_id[0] = 0; /* a script has none */
	return 0;
}

/* ---- what it is -------------------------------------------------------------------- */

/* Everything we want from one ELF file. */
struct elf_look {
	bool is_elf, is_script;
	int class, machine, type;
	bool is_pie;
	bool needs_ours, needs_gcc, has_needed;
	bool defines_tsan, defines_asan;
	char asan[64];
	char interpreter[PATH_MAX];
};

static void look_dynamic(Elf *elf, const GElf_Shdr *header, Elf_Data *data, struct elf_look *look)
{
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	GElf_Dyn entry;

	for (size_t i = 0; i < count && gelf_getdyn(data, (int)i, &entry); i++) {
		const char *name;

		look->is_pie |= entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE);
		if (entry.d_tag != DT_NEEDED)
			continue;
		look->has_needed = true;
		name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
		look->needs_ours |= name && !strcmp(name, OUR_LIBRARY);
		look->needs_gcc |= name && !strcmp(name, GCC_LIBRARY);
		if (name && (!strncmp(name, "libasan.so", 10) || !strncmp(name, "libclang_rt.asan", 16)) &&
		    strlen(name) < sizeof(look->asan))
			strcpy(look->asan, name);
	}
}

static void look_symbols(Elf *elf, const GElf_Shdr *header, Elf_Data *data, struct elf_look *look)
{
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	GElf_Sym symbol;

	for (size_t i = 0; i < count && gelf_getsym(data, (int)i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

		if (name && symbol.st_shndx != SHN_UNDEF && !strcmp(name, "__tsan_init"))
			look->defines_tsan = true;
		if (name && symbol.st_shndx != SHN_UNDEF && !strcmp(name, "__asan_init"))
			look->defines_asan = true;
	}
}

static void look_sections(Elf *elf, struct elf_look *look)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type != SHT_DYNAMIC && header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(section, NULL);
		if (!data)
			continue;
		if (header.sh_type == SHT_DYNAMIC)
			look_dynamic(elf, &header, data, look);
		else
			look_symbols(elf, &header, data, look);
	}
}

static void look_interpreter(Elf *elf, int fd, struct elf_look *look)
{
	size_t count = 0;
	GElf_Phdr header;

	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count && gelf_getphdr(elf, (int)i, &header); i++) {
		size_t size = header.p_filesz < PATH_MAX - 1 ? header.p_filesz : PATH_MAX - 1;

		if (header.p_type == PT_INTERP && pread(fd, look->interpreter, size, (off_t)header.p_offset) < 0)
			look->interpreter[0] = 0;
	}
}

static void look_elf(int fd, struct elf_look *look)
{
	Elf *elf;
	GElf_Ehdr header;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header)) {
		look->is_elf = true;
		look->class = header.e_ident[EI_CLASS];
		look->machine = header.e_machine;
		look->type = header.e_type;
		look_interpreter(elf, fd, look);
		look_sections(elf, look);
	}
	elf_end(elf);
}

/* "#! /bin/sh -e": the first word is the interpreter. */
static bool look_script(int fd, struct elf_look *look)
{
	char start[256] = "", *at = start + 2;
	ssize_t n = pread(fd, start, sizeof(start) - 1, 0);

	if (n < 2 || memcmp(start, "#!", 2))
		return false;
	at += strspn(at, " \t");
	at[strcspn(at, " \t\n")] = 0;
	memcpy(look->interpreter, at, strlen(at) + 1);
	look->is_script = true;
	return true;
}

static int look_at(const char *path, struct elf_look *look)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*look = (struct elf_look){ 0 };
	if (fd < 0)
		return error_cannot("cannot read %s: %s", path, strerror(errno));
	if (!look_script(fd, look))
		look_elf(fd, look);
	close(fd);
	return 0;
}

/* What would its loader load? Appends the loader's list to out; empty on any trouble. */
static void list_libraries(const struct program *program, const char *interpreter, struct strbuf *out)
{
	char *argv[] = { (char *)interpreter, "--list", (char *)program->path, NULL };
	int ends[2], status, nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct spawn spawn = SPAWN_INIT;
	char buffer[4096];
	pid_t pid;
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC)) {
		close(nowhere);
		return;
	}
	spawn.path = interpreter;
	spawn.argv = argv;
	spawn.envp = program->envp;
	spawn.cwd = program->cwd;
	spawn.in = spawn.err = nowhere;
	spawn.out = ends[1];
	if (!spawn_start(&spawn, &pid)) {
		close(ends[1]);
		ends[1] = -1;
		while ((n = read(ends[0], buffer, sizeof(buffer))) > 0)
			strbuf_add(out, buffer, (size_t)n);
		while (!spawn_wait(pid, -1, &status))
			;
	}
	if (ends[1] >= 0)
		close(ends[1]);
	close(ends[0]);
	close(nowhere);
}

static enum instrumentation of_libraries(const struct program *program, const struct elf_look *look)
{
	struct strbuf list = STRBUF_INIT;
	enum instrumentation found = INSTRUMENTED_NOT;

	if (*look->interpreter)
		list_libraries(program, look->interpreter, &list);
	if (strstr(list.buf, OUR_LIBRARY))
		found = INSTRUMENTED_DEADHEAT;
	else if (strstr(list.buf, GCC_LIBRARY))
		found = INSTRUMENTED_TSAN;
	strbuf_release(&list);
	return found;
}

static enum instrumentation instrumentation_of(const struct program *program, const struct elf_look *look)
{
	if (look->is_script)
		return INSTRUMENTED_SCRIPT;
	if (look->needs_ours)
		return INSTRUMENTED_DEADHEAT;
	if (look->needs_gcc)
		return INSTRUMENTED_TSAN;
	if (look->defines_tsan)
		return INSTRUMENTED_STATIC_TSAN;
	return of_libraries(program, look);
}

/* Would execve set AT_SECURE, so that the loader ignores LD_LIBRARY_PATH? */
static bool changes_privileges(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	if ((st.st_mode & S_ISUID) && st.st_uid != getuid())
		return true;
	if ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getgid())
		return true;
	return getuid() && getxattr(path, "security.capability", NULL, 0) > 0;
}

int target_inspect(const struct program *program, struct target_info *info)
{
	struct elf_look look;

	*info = (struct target_info){ .is_setuid = changes_privileges(program->path) };
	if (look_at(program->path, &look))
		return -1;
	if (!look.is_elf && !look.is_script)
		return error_cannot("%s is neither an ELF program nor a script", program->argv[0]);
	if (look.is_script && access(look.interpreter, X_OK))
		return error_cannot("%s: its interpreter %s is missing", program->argv[0], look.interpreter);
	if (look.is_elf && (look.class != ELFCLASS64 || look.machine != EM_X86_64))
		return error_cannot("%s is not a 64-bit x86 program: deadheat can only watch those", program->argv[0]);
	info->is_static = look.is_elf && !look.has_needed && !*look.interpreter;
	info->instrumentation = instrumentation_of(program, &look);
	info->has_asan = look.defines_asan || *look.asan;
	memcpy(info->asan, look.asan, sizeof(info->asan));
	info->by_library = look.is_elf && !look.needs_ours && !look.needs_gcc;
	return 0;
}

bool target_is_program(const char *path)
{
	struct elf_look look;

	if (access(path, R_OK) || look_at(path, &look))
		return false;
	return look.is_elf && (look.type == ET_EXEC || look.is_pie);
}

int target_require(const struct program *program, bool *plain)
{
	const char *name = program->argv[0];
	struct target_info info;

	*plain = false;
	if (target_inspect(program, &info))
		return -1;
	if (info.is_static)
		return error_cannot("%s is linked statically, our runtime is a shared library: link it without -static",
				    name);
	if (info.is_setuid)
		return error_cannot("%s changes its user or group when started (setuid), so the loader would ignore "
				    "our runtime: use a copy without that bit", name);
	switch (info.instrumentation) {
	case INSTRUMENTED_NOT:
		*plain = true;
		return 0;
	case INSTRUMENTED_STATIC_TSAN:
		return error_cannot("%s has clang's ThreadSanitizer linked in: "
				    "build it with deadheat-cc --with clang instead of -fsanitize=thread", name);
	default:
		return 0;
	}
}

int target_require_instrumented(const struct program *program)
{
	bool plain;

	if (target_require(program, &plain))
		return -1;
	return plain ? error_cannot("%s is not instrumented: " BUILD_HINT, program->argv[0]) : 0;
}

/* ---- where our runtimes are -------------------------------------------------------------- */

const char *target_runtime_dir(struct arena *arena, const char *runtime)
{
	char self[PATH_MAX], *slash, *folder;
	const char *result;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0) {
		error_cannot("cannot read /proc/self/exe: %s", strerror(errno));
		return NULL;
	}
	self[n] = 0;
	slash = strrchr(self, '/');
	if (slash)
		*slash = 0;
	folder = realpath(arena_printf(arena, "%s/../lib/deadheat/%s", self, runtime), NULL);
	if (!folder) {
		error_cannot("the runtime %s/../lib/deadheat/%s is missing: install deadheat again", self, runtime);
		return NULL;
	}
	result = arena_strdup(arena, folder);
	free(folder);
	return result;
}

static const char *before(struct arena *arena, const char *first, char separator, const char *rest)
{
	return rest && *rest ? arena_printf(arena, "%s%c%s", first, separator, rest) : first;
}

/* ASan's library insists on coming first; leaks are not what is looked for, and looking takes its time. */
static char **with_asan(struct arena *arena, const struct target_info *info, char **envp)
{
	const char *options = env_get(envp, "ASAN_OPTIONS");

	if (*info->asan)
		envp = env_set(arena, envp, "LD_PRELOAD", before(arena, info->asan, ' ', env_get(envp, "LD_PRELOAD")));
	if (!options || !strstr(options, "detect_leaks"))
		envp = env_set(arena, envp, "ASAN_OPTIONS", before(arena, "detect_leaks=0", ':', options));
	return envp;
}

int target_can_preload(const char *library)
{
	if (!library[strcspn(library, " :")])
		return 0;
	return error_cannot("the loader cannot preload %s: its path has a space or a colon; install deadheat elsewhere", library);
}

/*
 * Threads of OpenMP that wait spin inside a library nobody watches, for long: under the scheduler
 * they should sleep at once. What a person has set stays.
 */
static char **with_patient_openmp(struct arena *arena, char **envp)
{
	static const char *const names[] = { "GOMP_SPINCOUNT", "KMP_BLOCKTIME" };

	for (size_t i = 0; !env_get(envp, "OMP_WAIT_POLICY") && i < sizeof(names) / sizeof(*names); i++)
		if (!env_get(envp, names[i]))
			envp = env_set(arena, envp, names[i], "0");
	return envp;
}

char **target_environment(const struct program *program, struct arena *arena, const char *runtime, const char *wire)
{
	const char *folder = target_runtime_dir(arena, runtime);
	struct target_info info;
	char **envp;

	if (!folder || target_inspect(program, &info))
		return NULL;
	envp = env_set(arena, program->envp, "LD_LIBRARY_PATH",
		       before(arena, folder, ':', env_get(program->envp, "LD_LIBRARY_PATH")));
	if (info.by_library) {
		const char *library = arena_printf(arena, "%s/" OUR_LIBRARY, folder);

		if (target_can_preload(library))
			return NULL;
		envp = env_set(arena, envp, "LD_PRELOAD", before(arena, library, ' ', env_get(program->envp, "LD_PRELOAD")));
	}
	if (info.has_asan)
		envp = with_asan(arena, &info, envp);
	if (!strcmp(runtime, "sched"))
		envp = with_patient_openmp(arena, envp);
	return env_set(arena, envp, "DEADHEAT_WIRE", wire);
}
