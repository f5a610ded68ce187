package dev.outlast;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** What a client is told, or finds in the environment. */
final class Settings {
    private Settings() {}

    static URI server(String text) {
        try {
            URI server = URI.create(text);
            boolean known = "http".equals(server.getScheme()) || "https".equals(server.getScheme());
            boolean plain = server.getUserInfo() == null && server.getQuery() == null && server.getFragment() == null;
            if (known && plain && server.getHost() != null) return server;
        } catch (IllegalArgumentException broken) {
            // said below
        }
        throw new IllegalArgumentException("\"" + text + "\" is not the URL of a server: write it as http://127.0.0.1:7070");
    }

    static String token(Path file) {
        try {
            String token = Files.readString(file).strip();
            if (token.isEmpty()) throw new IllegalArgumentException(file + " holds no token");
            return token;
        } catch (IOException failure) {
            throw new IllegalArgumentException("the token cannot be read: " + failure, failure);
        }
    }

    /** Trusts the authorities of a file in PEM, and no others. */
    static SSLContext trusting(Path authorities) {
        try (InputStream in = Files.newInputStream(authorities)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry(String.valueOf(store.size()), one);
            }
            if (store.size() == 0) throw new IllegalArgumentException(authorities + " holds no certificate");
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(null, trust.getTrustManagers(), null);
            return tls;
        } catch (IOException | GeneralSecurityException failure) {
            throw new IllegalArgumentException("the authorities in " + authorities + " cannot be used: " + failure, failure);
        }
    }
}
