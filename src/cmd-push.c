/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pprofil push URL FILE...: sends saved profiles to a server. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "command-line.h"
#include "options.h"
#include "push.h"

#define PUSH_TIMEOUT 30.0 /* s, if no other time is given */
#define PUSH_TIMEOUT_MIN 0.1
#define PUSH_TIMEOUT_MAX 3600.0
#define PUSH_QUEUE_SIZE ((size_t)64 << 20)
#define PUSH_QUEUE_MIN 1024u
#define PUSH_QUEUE_MAX ((size_t)64 << 30)

enum option_key {
    KEY_TO = 256,
    KEY_NAME,
    KEY_LABEL,
    KEY_TENANT,
    KEY_HEADER,
    KEY_USER,
    KEY_TOKEN_FILE,
    KEY_TIMEOUT,
    KEY_QUEUE,
    KEY_QUEUE_MAX,
    KEY_INPUT_FORMAT,
    KEY_OBJECT,
    KEY_NO_SYMBOLIZE
};

struct push_command {
    struct push_target target;
    struct push_reading reading;
    struct push_labels labels;
    struct push_delivery delivery;
    char token_file[PATH_MAX];
    const char *queue;                                /* NULL: none */
    const char *label_options[PUSH_LABELS_GIVEN_MAX]; /* "KEY=VALUE"; read when the kind of server is known */
    size_t label_count;
    char **paths; /* borrowed from argv */
    int path_count;
};

static const struct argp_option options[] = {
    {"to", KEY_TO, "SERVER", 0, "what the server is: {SERVER} (pyroscope)", 1},
    {"name", KEY_NAME, "APP", 0, "name of the application (that of the profile's program)", 1},
    {"label", KEY_LABEL, "KEY=VALUE", 0, "add this label; may be given several times", 1},
    {"queue", KEY_QUEUE, "DIR", 0, "keep there what cannot be sent now, and send first what is there", 2},
    {"queue-max", KEY_QUEUE_MAX, "SIZE", 0, "drop the oldest profiles if the queue is larger (64M)", 2},
    {"timeout", KEY_TIMEOUT, "TIME", 0, "wait so long for the server's answer (30s)", 2},
    {"tenant", KEY_TENANT, "ID", 0, "the tenant, which is sent as X-Scope-OrgID", 3},
    {"token-file", KEY_TOKEN_FILE, "PATH", 0, "send the token that is in this file", 3},
    {"user", KEY_USER, "USER", 0, "the token is this user's password", 3},
    {"header", KEY_HEADER, "'KEY: VALUE'", 0, "send this header, too; may be given several times", 3},
    {"input-format", KEY_INPUT_FORMAT, "FORMAT", 0, "the format of a file, if it is not recognized", 4},
    {"object", KEY_OBJECT, "PATH", 0, "for a file of counters: what they count", 4},
    {"no-symbolize", KEY_NO_SYMBOLIZE, 0, 0, "do not look up names", 4},
    {"quiet", 'q', 0, 0, "say only what failed or was lost", 4},
    {0},
};

/* --- options ------------------------------------------------------------------------------------ */

/* A later push, which may be in another directory, may read the token again. So the path becomes absolute. Its symbolic
 * links stay: what renews a token often makes such a link point to another file. */
static void cmd_push_set_token_file(struct push_command *command, const char *path)
{
    char directory[PATH_MAX] = "";

    if (access(path, R_OK) != 0 || (path[0] != '/' && getcwd(directory, sizeof directory) == NULL))
        exit(complain("--token-file %s: %s", path, strerror(errno)));
    const char *between = path[0] == '/' ? "" : "/";
    if (snprintf(command->token_file, PATH_MAX, "%s%s%s", directory, between, path) >= PATH_MAX)
        exit(complain("--token-file %s: %s", path, strerror(ENAMETOOLONG)));
    command->target.token_file = command->token_file;
}

static void cmd_push_add_header(struct push_command *command, const char *header)
{
    const char *problem = push_header_problem(header);

    if (problem != NULL)
        exit(complain("--header '%s': %s", header, problem));
    /* two more are of pprofil: the type and the tenant */
    if (command->target.header_count == PUSH_HEADERS_MAX - 2)
        exit(complain("--header '%s': there may be %u headers at most", header, PUSH_HEADERS_MAX - 2));
    command->target.headers[command->target.header_count++] = header;
}

static void cmd_push_add_label_option(struct push_command *command, const char *label)
{
    if (command->label_count == PUSH_LABELS_GIVEN_MAX)
        exit(complain("--label %s: there may be %u labels at most", label, PUSH_LABELS_GIVEN_MAX));
    command->label_options[command->label_count++] = label;
}

/* Parses the options about the server, and returns ARGP_ERR_UNKNOWN for all others. */
static error_t cmd_push_parse_server_option(struct push_command *command, int key, char *argument)
{
    const char *problem = NULL;

    switch (key) {
    case KEY_TO:
        command->target.server = (enum push_server)choice_option("--to", &choices_push_servers, argument);
        break;
    case KEY_TENANT:
        problem = push_tenant_problem(argument);
        command->target.tenant = argument;
        break;
    case KEY_HEADER:
        cmd_push_add_header(command, argument);
        break;
    case KEY_USER:
        command->target.user = argument;
        break;
    case KEY_TOKEN_FILE:
        cmd_push_set_token_file(command, argument);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    if (problem != NULL)
        exit(complain("--tenant %s: %s", argument, problem));
    return 0;
}

/* Does the same for the options about sending and keeping. */
static error_t cmd_push_parse_delivery_option(struct push_command *command, int key, char *argument)
{
    switch (key) {
    case KEY_TIMEOUT:
        command->delivery.timeout = duration_option("--timeout", argument, PUSH_TIMEOUT_MIN, PUSH_TIMEOUT_MAX);
        return 0;
    case KEY_QUEUE:
        command->queue = argument;
        return 0;
    case KEY_QUEUE_MAX:
        command->delivery.queue_size_max = size_option("--queue-max", argument, PUSH_QUEUE_MIN, PUSH_QUEUE_MAX);
        return 0;
    case 'q':
        command->delivery.quiet = true;
        return 0;
    default:
        return cmd_push_parse_server_option(command, key, argument);
    }
}

static error_t cmd_push_parse_option(int key, char *argument, struct argp_state *state)
{
    struct push_command *command = state->input;

    switch (key) {
    case KEY_NAME:
        command->reading.name = argument;
        break;
    case KEY_LABEL:
        cmd_push_add_label_option(command, argument);
        break;
    case KEY_INPUT_FORMAT:
        command->reading.file.format = format_option("--input-format", argument);
        break;
    case KEY_OBJECT:
        command->reading.file.object = argument;
        break;
    case KEY_NO_SYMBOLIZE:
        command->reading.symbolize = false;
        break;
    case ARGP_KEY_ARGS:
        command->target.url = state->argv[state->next];
        command->paths = state->argv + state->next + 1;
        command->path_count = state->argc - state->next - 1;
        break;
    default:
        return cmd_push_parse_delivery_option(command, key, argument);
    }
    return 0;
}

const struct argp push_argp = {
    options,
    cmd_push_parse_option,
    "URL [FILE...]",
    "Sends saved profiles to a server, as pprof over HTTP.\v"
    "Without a FILE it sends what is in the queue. - is standard input.",
    NULL,
    choices_help,
    NULL,
};

/* --- checks ------------------------------------------------------------------------------------- */

static int cmd_push_check_label(struct push_command *command, const char *option)
{
    const char *equal = strchr(option, '='), *problem;

    if (equal == NULL)
        return complain("--label %s: a label is KEY=VALUE", option);
    char *name = strndup(option, (size_t)(equal - option));
    if (name == NULL)
        return complain("out of memory");
    problem = push_label_problem(command->target.server, name, equal + 1);
    int error = problem == NULL ? push_labels_add(&command->labels, name, equal + 1) : 0;
    free(name);
    if (error == -EEXIST)
        problem = "a label of this name is there already";
    else if (error != 0)
        problem = strerror(-error);
    return problem != NULL ? complain("--label %s: %s", option, problem) : 0;
}

/* Checks what depends on several options. */
static int cmd_push_check(struct push_command *command)
{
    const struct push_target *target = &command->target;
    const char *problem = push_http_problem();
    int status = 0;

    if (problem != NULL)
        return complain("push: this pprofil cannot push: %s", problem);
    if (target->url == NULL)
        return complain("push: where to? Give a URL; see pprofil push --help");
    if ((problem = push_url_problem(target->server, target->url)) != NULL)
        return complain("%s: %s", target->url, problem);
    if (command->path_count == 0 && command->queue == NULL)
        return complain("push: which FILEs? See pprofil push --help");
    if (target->user != NULL && target->token_file == NULL)
        return complain("--user %s: its password is missing; give --token-file PATH", target->user);
    if (target->user != NULL && strchr(target->user, ':') != NULL)
        return complain("--user %s: the name must not have a colon", target->user);
    if (command->reading.name != NULL && (problem = push_name_problem(command->reading.name)) != NULL)
        return complain("--name %s: %s", command->reading.name, problem);
    for (size_t i = 0; status == 0 && i < command->label_count; i++)
        status = cmd_push_check_label(command, command->label_options[i]);
    return status;
}

/* --- files -------------------------------------------------------------------------------------- */

/* Adds a request to the queue. One that is larger than the whole queue, or that cannot be written there, is sent at
 * once. */
static int cmd_push_keep(const struct push_delivery *delivery, const struct push_request *request)
{
    int error = push_queue_add(&delivery->queue, request, delivery->queue_size_max);

    if (error == 0)
        return 0;
    complain("%s: it cannot be kept in %s: %s", request->source, delivery->queue.path,
             error == -EFBIG ? "it is larger than --queue-max" : pprofil_error_text(error));
    return push_deliver_now(delivery, request);
}

/* Reads a profile, and sends it or adds it to the queue. */
static int cmd_push_file(const struct push_command *command, const char *path)
{
    const char *source = strcmp(path, "-") == 0 ? "standard input" : path;
    struct push_profile profile = {0};
    struct push_request request = {0};
    int status = push_profile_read(path, &command->reading, &profile);

    if (status == 0) {
        int error = push_request_make(&command->target, source, &profile, &request);
        if (error != 0)
            status = complain_file(source, error, false);
        else if (command->queue != NULL)
            status = cmd_push_keep(&command->delivery, &request);
        else
            status = push_deliver_now(&command->delivery, &request);
    }
    push_request_clear(&request);
    push_profile_clear(&profile);
    return status;
}

/* Goes on after a failure, for the other files may be all right. */
static int cmd_push_files(const struct push_command *command)
{
    int status = 0;

    for (int i = 0; i < command->path_count; i++)
        if (cmd_push_file(command, command->paths[i]) != 0)
            status = EXIT_OWN_FAILURE;
    if (command->queue == NULL)
        return status;
    int queued = push_deliver_queue(&command->delivery);
    return status != 0 ? status : queued;
}

static int cmd_push_run(struct push_command *command)
{
    int error = command->queue != NULL ? push_queue_open(&command->delivery.queue, command->queue) : 0;
    int status = 0;

    if (error != 0)
        status = complain("--queue %s: %s", command->queue,
                          error == -EPERM ? "it belongs to another user, or others may write to it; name another folder"
                                          : pprofil_error_text(error));

    else if ((command->delivery.http = push_http_open()) == NULL)
        status = complain("push: libcurl could not be started");
    if (status == 0)
        status = cmd_push_files(command);
    push_http_close(command->delivery.http);
    push_queue_close(&command->delivery.queue);
    return status;
}

int command_push(int argc, char **argv)
{
    struct push_command command = {
        .reading = {.file = {.size = sizeof command.reading.file}, .symbolize = true},
        .delivery = {.queue = {.lock = -1}, .queue_size_max = PUSH_QUEUE_SIZE, .timeout = PUSH_TIMEOUT}};

    command.reading.labels = &command.labels;
    command_line_parse("pprofil push", &push_argp, argc, argv, 0, &command);
    int status = cmd_push_check(&command);
    if (status == 0)
        status = cmd_push_run(&command);
    push_labels_clear(&command.labels);
    return status;
}
