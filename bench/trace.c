/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces: how fast one is read and converted, beside Python's own JSON reader, without which no tool in
 * Python can do, alone and with a plain walk that gathers nodes, tensors and distinct calls. PARAM's loader,
 * which makes objects besides, is not here to be measured; the time that was once recorded for it is named.
 * And what a trace of a gigabyte takes. Times are of the whole process's CPU, because that is what a busy
 * machine does not change much.
 */
#include "opbench/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5 };

#define REAL_TRACE OB_SOURCE_DIR "/../shared/traces/resnet_1gpu_1.0.3.json.gz"

static double cpu_seconds(int who)
{
    struct rusage usage;
    getrusage(who, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* ---- a real trace ---- */

static double read_real(double *convert_s)
{
    const ob_trace_convert_options options = {.size = sizeof options};
    ob_trace_convert_summary summary = {.size = sizeof summary};
    ob_op_table *table;
    ob_trace *trace;
    ob_text config = {0};
    ob_err err;
    if (ob_op_table_create(&table, &err) != OB_OK)
        return -1;
    const double start = cpu_seconds(RUSAGE_SELF);
    if (ob_trace_open(REAL_TRACE, NULL, NULL, &trace, &err) != OB_OK) {
        ob_op_table_destroy(table);
        return -1;
    }
    const double loaded = cpu_seconds(RUSAGE_SELF);
    ob_trace_convert(trace, &options, table, NULL, &config, &summary, &err);
    *convert_s = cpu_seconds(RUSAGE_SELF) - loaded;
    ob_text_fini(&config);
    ob_trace_close(trace);
    ob_op_table_destroy(table);
    return loaded - start;
}

/* What Python takes to read the same file and nothing more; its start is taken away. */
static double python_seconds(const char *program)
{
    const double before = cpu_seconds(RUSAGE_CHILDREN);
    const pid_t child = fork();
    if (child == 0) {
        execlp("python3", "python3", "-c", program, REAL_TRACE, (char *)NULL);
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 0)
        return -1;
    return cpu_seconds(RUSAGE_CHILDREN) - before;
}

#define LOAD "import gzip, json, sys\ntrace = json.load(gzip.open(sys.argv[1]))\n"
static const char WALK[] = LOAD
    "nodes, tensors, calls = {}, {}, {}\n"
    "for n in trace['nodes']:\n"
    "    attrs = {a['name']: a['value'] for a in n['attrs']}\n"
    "    nodes[n['id']] = (n['name'], n['ctrl_deps'], attrs.get('tid'))\n"
    "    for side in (n['inputs'], n['outputs']):\n"
    "        for v, t, s in zip(side['values'], side['types'], side['shapes']):\n"
    "            if t.startswith('Tensor'): tensors.setdefault(tuple(v), set()).add(tuple(s))\n"
    "    if attrs.get('op_schema'):\n"
    "        key = (attrs['op_schema'], str(n['inputs']['shapes']), str(n['inputs']['types']))\n"
    "        calls[key] = calls.get(key, 0) + 1\n";

static double least(double a, double b)
{
    return a < b ? a : b;
}

static void measure_real(void)
{
    double ours = 1e9, convert = 1e9, theirs = 1e9, walk = 1e9, empty = 1e9;
    if (access(REAL_TRACE, R_OK) != 0) {
        printf("trace: left out, there is no %s\n", REAL_TRACE);
        return;
    }
    for (int i = 0; i < ROUNDS; i++) {
        double converted = 0;
        ours = least(ours, read_real(&converted));
        convert = least(convert, converted);
        theirs = least(theirs, python_seconds(LOAD));
        walk = least(walk, python_seconds(WALK));
        empty = least(empty, python_seconds("import gzip, json, sys"));
    }
    printf("trace: ResNet, 11.9 MB unpacked: read %.1f ms, convert %.1f ms\n", 1e3 * ours,
           1e3 * convert);
    if (theirs > 0 && theirs < 1e9)
        printf("trace: Python's json.load of the same file: %.1f ms, %.1f times ours with "
               "converting\n",
               1e3 * (theirs - empty), (theirs - empty) / (ours + convert));
    if (walk > 0 && walk < 1e9)
        printf("trace: json.load and a plain walk in Python: %.1f ms, %.1f times ours\n",
               1e3 * (walk - empty), (walk - empty) / (ours + convert));
    printf("trace: PARAM's loader is not here; 0.83 s were recorded for it on another machine of "
           "this kind: %.1f times ours\n",
           0.83 / (ours + convert));
}

/* ---- a made one ---- */

static bool write_made(const char *path, size_t bytes)
{
    FILE *file = fopen(path, "we");
    size_t written = 0;
    if (file == NULL)
        return false;
    fprintf(file, "{\"schema\": \"1.0.3-chakra.0.0.4\", \"nodes\": [\n"
                  "{\"id\": 1, \"name\": \"process\", \"ctrl_deps\": 1}");
    for (long id = 2; written < bytes; id += 4) {
        const int count = fprintf(
            file,
            ",\n{\"id\": %ld, \"name\": \"aten::addmm\", \"ctrl_deps\": 1, \"inputs\": "
            "{\"values\": "
            "[[%ld, %ld, 0, 1024, 4, \"cuda:0\"], [%ld, %ld, 0, 524288, 4, \"cuda:0\"], [%ld, 6, "
            "0, "
            "1048576, 4, \"cuda:0\"], 1, 1], \"shapes\": [[1024], [512, 1024], [1024, 1024], [], "
            "[]], "
            "\"types\": [\"Tensor(float)\", \"Tensor(float)\", \"Tensor(float)\", \"Int\", "
            "\"Int\"]}, "
            "\"outputs\": {\"values\": [[%ld, %ld, 0, 524288, 4, \"cuda:0\"]], \"shapes\": [[512, "
            "1024]], \"types\": [\"Tensor(float)\"]}, \"attrs\": [{\"name\": \"rf_id\", \"type\": "
            "\"uint64\", \"value\": %ld}, {\"name\": \"fw_parent\", \"type\": \"uint64\", "
            "\"value\": 0}, "
            "{\"name\": \"seq_id\", \"type\": \"int64\", \"value\": 661}, {\"name\": \"tid\", "
            "\"type\": "
            "\"uint64\", \"value\": 1}, {\"name\": \"op_schema\", \"type\": \"string\", \"value\": "
            "\"aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar "
            "alpha=1) "
            "-> Tensor\"}]}",
            id, id % 5000, id % 777, id % 4000, id % 555, id % 3000, id + 1, id % 9999, id);
        if (count < 0)
            break;
        written += (size_t)count;
    }
    fprintf(file, "\n]}\n");
    return fclose(file) == 0;
}

static int measure_made(void)
{
    const char *wish = getenv("OB_BENCH_TRACE_MIB");
    const size_t bytes = (size_t)(wish != NULL ? atol(wish) : 1024) << 20;
    char path[] = "/tmp/opbench-trace-XXXXXX";
    ob_trace *trace;
    ob_err err;
    struct rusage usage;
    const int fd = mkstemp(path);
    if (fd < 0 || !write_made(path, bytes)) {
        printf("trace: no room for a made trace of %zu MiB\n", bytes >> 20);
        return 0;
    }
    close(fd);
    const double start = cpu_seconds(RUSAGE_SELF);
    const ob_status status = ob_trace_open(path, NULL, NULL, &trace, &err);
    const double seconds = cpu_seconds(RUSAGE_SELF) - start;
    unlink(path);
    if (status != OB_OK) {
        printf("trace: %s\n", err.message);
        return 1;
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("trace: made, %.0f MB, %zu nodes: %.2f s, %.0f MB/s, tables %.0f MB, peak %.0f MB\n",
           (double)ob_trace_text_bytes(trace) / 1e6, ob_trace_node_count(trace), seconds,
           (double)ob_trace_text_bytes(trace) / 1e6 / seconds,
           (double)ob_trace_memory_bytes(trace) / 1e6, (double)usage.ru_maxrss * 1024 / 1e6);
    ob_trace_close(trace);
    return 0;
}

int main(void)
{
    measure_real();
    return measure_made();
}
