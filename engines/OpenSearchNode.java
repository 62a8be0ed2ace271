import org.codelibs.opensearch.runner.OpenSearchRunner;

/** One OpenSearch node on loopback: arguments are its folder and its HTTP port. Ends cleanly on SIGTERM. */
public final class OpenSearchNode {
    public static void main(String[] arguments) throws Exception {
        String folder = arguments[0];
        int port = Integer.parseInt(arguments[1]);
        OpenSearchRunner runner = new OpenSearchRunner();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                runner.close();
            } catch (java.io.IOException error) {
                error.printStackTrace();
            }
        }));
        runner.onBuild((number, settings) -> {
            settings.put("discovery.type", "single-node");
            settings.put("network.host", "127.0.0.1");
            settings.put("http.port", port);
            settings.put("transport.port", port + 1);
            settings.put("path.repo", folder + "/snapshots");
            settings.put("cluster.routing.allocation.disk.threshold_enabled", false);
            settings.put("action.auto_create_index", false);
        });
        runner.build(OpenSearchRunner.newConfigs().clusterName("tearsheet").numOfNode(1).basePath(folder).disableESLogger());
        Thread.currentThread().join();
    }
}
