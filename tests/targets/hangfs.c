/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file system that stops answering requests:
 *
 *   hangfs DIRECTORY FILE all|open|read|flush|direct
 *
 * Mounts a file system at DIRECTORY. Its files "file", "file1", "file2" and so on are all copies of FILE. After SIGUSR1
 * the program answers no more requests of the given kind: "all" and "direct" mean requests of any kind. "direct" also
 * forbids the kernel to cache the files, so that each read(2) causes a request. SIGTERM unmounts the file system and
 * ends the program. The requests are those of the kernel's FUSE protocol: fuse(4), include/uapi/linux/fuse.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILE_NODE 2
#define REQUEST_MAX (1 << 17) /* bytes, at least FUSE_MIN_READ_BUFFER */

static const char *kind;
static int device, file;
static struct stat file_status;
static volatile sig_atomic_t hangs, ended;

static void note(int signal)
{
    if (signal == SIGUSR1)
        hangs = 1;
    else
        ended = 1;
}

static int is_left_alone(uint32_t opcode)
{
    if (!hangs)
        return 0;
    if (strcmp(kind, "open") == 0)
        return opcode == FUSE_OPEN;
    if (strcmp(kind, "read") == 0)
        return opcode == FUSE_READ;
    if (strcmp(kind, "flush") == 0)
        return opcode == FUSE_FLUSH;
    return 1;
}

static void answer(const struct fuse_in_header *request, int error, const void *body, size_t size)
{
    struct fuse_out_header head = {
        .len = (uint32_t)(sizeof head + size), .error = -error, .unique = request->unique};
    struct iovec parts[] = {{&head, sizeof head}, {(void *)body, size}};
    ssize_t ignored = writev(device, parts, 2);

    (void)ignored;
}

static struct fuse_attr attributes(uint64_t node)
{
    if (node == FUSE_ROOT_ID)
        return (struct fuse_attr){.ino = node, .mode = S_IFDIR | 0755, .nlink = 2};
    return (struct fuse_attr){.ino = node,
                              .size = (uint64_t)file_status.st_size,
                              .blocks = ((uint64_t)file_status.st_size + 511) / 512,
                              .mode = S_IFREG | 0755,
                              .nlink = 1};
}

static void look_up(const struct fuse_in_header *request, const char *name)
{
    bool known = strncmp(name, "file", 4) == 0;
    uint64_t node = known ? FILE_NODE + strtoul(name + 4, NULL, 10) : 0;
    struct fuse_entry_out entry = {.nodeid = node, .attr = attributes(node)};

    if (known)
        answer(request, 0, &entry, sizeof entry);
    else
        answer(request, ENOENT, NULL, 0);
}

static void read_file(const struct fuse_in_header *request, const struct fuse_read_in *wanted)
{
    char *bytes = malloc(wanted->size);
    ssize_t got = pread(file, bytes, wanted->size, (off_t)wanted->offset);

    answer(request, got < 0 ? errno : 0, bytes, got < 0 ? 0 : (size_t)got);
    free(bytes);
}

static void answer_request(const struct fuse_in_header *request)
{
    const void *body = request + 1;
    struct fuse_attr_out attr = {.attr = attributes(request->nodeid)};
    struct fuse_open_out opened = {.open_flags = strcmp(kind, "direct") == 0 ? FOPEN_DIRECT_IO : FOPEN_KEEP_CACHE};
    struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096};

    switch (request->opcode) {
    case FUSE_INIT:
        answer(request, 0, &init, sizeof init);
        break;
    case FUSE_LOOKUP:
        look_up(request, body);
        break;
    case FUSE_GETATTR:
        answer(request, 0, &attr, sizeof attr);
        break;
    case FUSE_OPEN:
    case FUSE_OPENDIR:
        answer(request, 0, &opened, sizeof opened);
        break;
    case FUSE_READ:
        read_file(request, body);
        break;
    case FUSE_FLUSH:
    case FUSE_RELEASE:
    case FUSE_RELEASEDIR:
        answer(request, 0, NULL, 0);
        break;
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
        break;
    default:
        answer(request, ENOSYS, NULL, 0);
    }
}

static int mount_at(const char *directory)
{
    char options[128];

    device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (device < 0)
        return -1;
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", device);
    return mount("hangfs", directory, "fuse", MS_NOSUID | MS_NODEV, options);
}

int main(int argc, char **argv)
{
    static union {
        struct fuse_in_header head;
        char bytes[REQUEST_MAX];
    } request;
    struct sigaction action = {.sa_handler = note}; /* without SA_RESTART: a signal ends the read */

    if (argc != 4)
        return 125;
    kind = argv[3];
    file = open(argv[2], O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &file_status) < 0 || mount_at(argv[1]) < 0) {
        perror("hangfs");
        return 1;
    }
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    printf("ready\n");
    fflush(stdout);
    while (!ended) {
        ssize_t got = read(device, &request, sizeof request);
        if (got < 0 && errno != EINTR && errno != EAGAIN && errno != ENOENT)
            break;
        if (got > 0 && !is_left_alone(request.head.opcode))
            answer_request(&request.head);
    }
    umount2(argv[1], MNT_DETACH);
    return 0;
}
