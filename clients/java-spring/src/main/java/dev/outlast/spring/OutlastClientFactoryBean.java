package dev.outlast.spring;

import dev.outlast.OutlastClient;
import org.springframework.beans.factory.config.AbstractFactoryBean;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/** The client that the properties describe. */
class OutlastClientFactoryBean extends AbstractFactoryBean<OutlastClient> implements EnvironmentAware {
    private Environment environment;

    @Override public void setEnvironment(Environment environment) {
        this.environment = environment;
    }

    @Override public Class<?> getObjectType() {
        return OutlastClient.class;
    }

    @Override protected OutlastClient createInstance() {
        return new OutlastProperties(environment).client();
    }
}
